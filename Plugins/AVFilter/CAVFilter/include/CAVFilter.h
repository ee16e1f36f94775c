/* libavfilter for Swift.  Parts that the Swift importer cannot see are constants and inline functions here. */
#ifndef RESPOOL_CAVFILTER_H
#define RESPOOL_CAVFILTER_H

#include <errno.h>
#include <stdint.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

static const int64_t avfilter_no_time = AV_NOPTS_VALUE;
static const int avfilter_error_end = AVERROR_EOF;
static const int avfilter_error_again = AVERROR(EAGAIN);
static const int avfilter_error_no_memory = AVERROR(ENOMEM);

/* Sends the warnings and errors of FFmpeg to `log`, with RSP_LOG_DEBUG as level.  Other messages are dropped.  `log` is
   called on any thread; `message` is lent for the call.  FFmpeg has one receiver per process: the last call counts. */
void avfilter_log_to(
    void (*_Nonnull log)(void *_Nullable context, int32_t level, const char *_Nonnull message),
    void *_Nullable context);

/* Forgets the errors of this thread, and makes this library the receiver of messages again. */
void avfilter_begin_errors(void);

/* Returns the first error or warning of this thread since avfilter_begin_errors; "": none.  Valid until the next call. */
const char *_Nonnull avfilter_first_error(void);

/* Returns the mask of the channels in the native order of FFmpeg; 0 for layouts in another order. */
static inline uint64_t avfilter_channel_mask(const AVChannelLayout *_Nonnull layout) {
  return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
}

/* Sets the layout to `mask`, or to the usual layout of `channels` channels if `mask` is 0 or does not fit. */
static inline void avfilter_set_layout(AVChannelLayout *_Nonnull layout, int channels, uint64_t mask) {
  av_channel_layout_uninit(layout);
  if (!mask || av_channel_layout_from_mask(layout, mask) < 0 || layout->nb_channels != channels) {
    av_channel_layout_uninit(layout);
    av_channel_layout_default(layout, channels);
  }
}

#endif
