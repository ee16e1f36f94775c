/* libavcodec for Swift: what its importer cannot see, as constants and inline functions. */
#ifndef RESPOOL_CAVCODEC_H
#define RESPOOL_CAVCODEC_H

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

static const int64_t avcodec_no_time = AV_NOPTS_VALUE;
static const int avcodec_error_end = AVERROR_EOF;
static const int avcodec_error_again = AVERROR(EAGAIN);
static const int avcodec_error_no_memory = AVERROR(ENOMEM);
static const int avcodec_error_patch_welcome = AVERROR_PATCHWELCOME;
static const int avcodec_error_invalid_argument = AVERROR(EINVAL);

/* Sends every message of FFmpeg's to `log` with the level of the Respool ABI, none above debug. */
void avcodec_log_to(
    void (*_Nonnull log)(void *_Nullable context, int32_t level, const char *_Nonnull message),
    void *_Nullable context);

static inline uint64_t avcodec_channel_mask(const AVChannelLayout *_Nonnull layout) {
  return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
}

/* By its loudspeakers, or by the number of channels where `mask` is 0. */
static inline void avcodec_set_layout(AVChannelLayout *_Nonnull layout, int channels, uint64_t mask) {
  av_channel_layout_uninit(layout);
  if (!mask || av_channel_layout_from_mask(layout, mask) < 0) {
    layout->order = AV_CHANNEL_ORDER_UNSPEC;
    layout->nb_channels = channels;
  }
}

/* Writes HDR10+ metadata as a message of ITU-T T.35 (SMPTE ST 2094-40, annex A).  Returns the number of bytes,
   at most AVCODEC_HDR_PLUS_ROOM; 0 for metadata that no message can hold. */
#define AVCODEC_HDR_PLUS_ROOM 1024
size_t avcodec_hdr_plus_message(const AVDynamicHDRPlus *_Nonnull value, uint8_t *_Nonnull bytes);

/* A new picture with the samples of `source` in another format, or NULL.  `*context` is kept between calls. */
AVFrame *_Nullable avcodec_repack(
    struct SwsContext *_Nullable *_Nonnull context, const AVFrame *_Nonnull source,
    enum AVPixelFormat format);

#endif
