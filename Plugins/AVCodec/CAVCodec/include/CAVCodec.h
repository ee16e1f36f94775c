/* libavcodec for Swift.  Parts that the Swift importer cannot see are constants and inline functions here. */
#ifndef RESPOOL_CAVCODEC_H
#define RESPOOL_CAVCODEC_H

#include <CFFmpeg.h>
#include <errno.h>
#include <stdint.h>
#include <libavcodec/avcodec.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/hdr_dynamic_metadata.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

/* Writes HDR10+ metadata as a message of ITU-T T.35 (SMPTE ST 2094-40, annex A).  `bytes` has room for
   AVCODEC_HDR_PLUS_ROOM bytes.  Returns the number of bytes; 0 if no message can hold the metadata. */
#define AVCODEC_HDR_PLUS_ROOM 1024
size_t avcodec_hdr_plus_message(const AVDynamicHDRPlus *_Nonnull value, uint8_t *_Nonnull bytes);

/* Returns a new frame with `source` converted to `format`, or NULL on failure.  The caller frees it.  `*context` is
   NULL before the first call and is reused by the next ones; the caller frees it with sws_freeContext. */
AVFrame *_Nullable avcodec_repack(
    struct SwsContext *_Nullable *_Nonnull context, const AVFrame *_Nonnull source,
    enum AVPixelFormat format);

#endif
