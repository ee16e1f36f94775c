/* libavformat for Swift: what its importer cannot see, as constants and inline functions. */
#ifndef RESPOOL_CAVFORMAT_H
#define RESPOOL_CAVFORMAT_H

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

static const int64_t avformat_no_time = AV_NOPTS_VALUE;
static const int avformat_error_end = AVERROR_EOF;
static const int avformat_error_exit = AVERROR_EXIT;
static const int avformat_error_again = AVERROR(EAGAIN);
static const int avformat_error_io = AVERROR(EIO);
static const int avformat_error_invalid_data = AVERROR_INVALIDDATA;
static const int avformat_error_no_memory = AVERROR(ENOMEM);
static const int avformat_error_not_permitted = AVERROR(EPERM);
static const int avformat_error_not_seekable = AVERROR(ESPIPE);
static const int avformat_error_not_found = AVERROR_DEMUXER_NOT_FOUND;
static const int avformat_error_patch_welcome = AVERROR_PATCHWELCOME;

/* Sends every message of FFmpeg's to `log` with the level of the Respool ABI, none above debug. */
void avformat_log_to(
    void (*_Nonnull log)(void *_Nullable context, int32_t level, const char *_Nonnull message),
    void *_Nullable context);

/* Makes the context unable to open anything but what it was given. */
void avformat_forbid_opening(AVFormatContext *_Nonnull context);

/* An unsigned field of an enum type, whatever the compiler thinks its sign is. */
static inline uint64_t avformat_channel_mask(const AVChannelLayout *_Nonnull layout) {
  return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
}

#endif
