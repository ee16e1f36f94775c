/* libavfilter for Swift.  Parts that the Swift importer cannot see are constants and inline functions here. */
#ifndef RESPOOL_CAVFILTER_H
#define RESPOOL_CAVFILTER_H

#include <CFFmpeg.h>
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

/* Sets the layout to `mask`, or to the usual layout of `channels` channels if `mask` is 0 or does not fit. */
static inline void avfilter_set_layout(AVChannelLayout *_Nonnull layout, int channels, uint64_t mask) {
  av_channel_layout_uninit(layout);
  if (!mask || av_channel_layout_from_mask(layout, mask) < 0 || layout->nb_channels != channels) {
    av_channel_layout_uninit(layout);
    av_channel_layout_default(layout, channels);
  }
}

/* Sizes of the frames before and after a filter. */
typedef struct avfilter_sizes {
  double in_w, in_h, out_w, out_h;
} avfilter_sizes;

/* Returns the value of an option such as `y` of crop and pad, or NAN if it depends on more than the sizes: on the
   frame, its time, its chroma or another option. */
double avfilter_evaluate(const char *_Nonnull expression, const avfilter_sizes *_Nonnull sizes);

#endif
