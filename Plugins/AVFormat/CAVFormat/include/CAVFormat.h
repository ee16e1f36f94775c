/* libavformat for Swift.  Parts that the Swift importer cannot see are constants and inline functions here. */
#ifndef RESPOOL_CAVFORMAT_H
#define RESPOOL_CAVFORMAT_H

#include <CFFmpeg.h>
#include <errno.h>
#include <stdint.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/crc.h>
#include <libavutil/dict.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/error.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <libavutil/replaygain.h>
#include <libavutil/stereo3d.h>

/* Makes the context unable to open other files and addresses than the input that it has. */
void avformat_forbid_opening(AVFormatContext *_Nonnull context);

/* Function that takes bytes of an output; returns their number, or a negative error. */
typedef int (*avformat_writer)(void *_Nullable opaque, const uint8_t *_Nonnull bytes, int count);

/* Returns an output without seeking whose bytes `write` gets; NULL without memory. avformat_free_output frees it. */
AVIOContext *_Nullable avformat_make_output(void *_Nonnull opaque, avformat_writer _Nonnull write);
void avformat_free_output(AVIOContext *_Nullable output);

#endif
