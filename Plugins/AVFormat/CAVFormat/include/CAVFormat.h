/* libavformat for Swift.  Parts that the Swift importer cannot see are constants and inline functions here. */
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
static const int avformat_error_patch_welcome = AVERROR_PATCHWELCOME;

/* Sends the warnings and errors of FFmpeg to `log`, with RSP_LOG_DEBUG as level. Other messages are dropped. `log` is
   called on any thread; `message` is lent for the call. FFmpeg has one receiver per process: the last call counts. */
void avformat_log_to(
    void (*_Nonnull log)(void *_Nullable context, int32_t level, const char *_Nonnull message),
    void *_Nullable context);

/* Makes the context unable to open other files and addresses than the input that it has. */
void avformat_forbid_opening(AVFormatContext *_Nonnull context);

/* Returns the mask of the channels in the native order of FFmpeg; 0 for layouts in another order. */
static inline uint64_t avformat_channel_mask(const AVChannelLayout *_Nonnull layout) {
  return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
}

#endif
