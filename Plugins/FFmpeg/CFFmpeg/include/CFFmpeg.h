/* libavutil for Swift, shared by the plugins that link FFmpeg.  Parts that the Swift importer cannot see are constants
   and inline functions here. */
#ifndef RESPOOL_CFFMPEG_H
#define RESPOOL_CFFMPEG_H

#include <errno.h>
#include <stdint.h>
#include <libavutil/avutil.h>
#include <libavutil/buffer.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <libavutil/samplefmt.h>

static const int64_t ffmpeg_no_time = AV_NOPTS_VALUE;
static const int ffmpeg_error_end = AVERROR_EOF;
static const int ffmpeg_error_exit = AVERROR_EXIT;
static const int ffmpeg_error_again = AVERROR(EAGAIN);
static const int ffmpeg_error_io = AVERROR(EIO);
static const int ffmpeg_error_invalid_data = AVERROR_INVALIDDATA;
static const int ffmpeg_error_no_memory = AVERROR(ENOMEM);
static const int ffmpeg_error_not_permitted = AVERROR(EPERM);
static const int ffmpeg_error_not_seekable = AVERROR(ESPIPE);
static const int ffmpeg_error_patch_welcome = AVERROR_PATCHWELCOME;

/* Sends the warnings and errors of FFmpeg to `log`, with RSP_LOG_DEBUG as level.  Other messages are dropped.  `log` is
   called on any thread; `message` is lent for the call.  FFmpeg has one receiver per process: the last call counts. */
void ffmpeg_log_to(
    void (*_Nonnull log)(void *_Nullable context, int32_t level, const char *_Nonnull message),
    void *_Nullable context);

/* Forgets the errors of this thread, and makes this plugin the receiver of messages again. */
void ffmpeg_begin_errors(void);

/* Returns the first error or warning of this thread since ffmpeg_begin_errors; "": none.  Valid until the next call. */
const char *_Nonnull ffmpeg_first_error(void);

/* Returns the mask of the channels in the native order of FFmpeg; 0 for layouts in another order. */
static inline uint64_t ffmpeg_channel_mask(const AVChannelLayout *_Nonnull layout) {
  return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
}

/* Sets the layout to `mask`, or to `channels` channels without an order if `mask` is 0 or invalid. */
static inline void ffmpeg_set_layout(AVChannelLayout *_Nonnull layout, int channels, uint64_t mask) {
  av_channel_layout_uninit(layout);
  if (!mask || av_channel_layout_from_mask(layout, mask) < 0) {
    layout->order = AV_CHANNEL_ORDER_UNSPEC;
    layout->nb_channels = channels;
  }
}

#endif
