#ifndef RESPOOL_FILTER_H
#define RESPOOL_FILTER_H

#include "factory.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

typedef struct rsp_filter rsp_filter; /* opaque; defined by the plugin */

/* Settings of a filter.  The struct and everything that it points to is lent for the call of open, except `job`. */
typedef struct RSP_STRUCT(rsp_filter_settings) {
  uint32_t struct_size;
  uint32_t threads;       /* number of threads that the filter may use, at least 1 */
  /* Description of the frames that come in, such as size, format, color, rates, field order and time base.  The
     format is one that the factory lists. */
  const rsp_track *track;
  rsp_options options;    /* checked by the host against the schema in head.options */
  const rsp_job *RSP_NULLABLE job; /* valid until close returns; NULL: the filter is opened for its description only */
  RSP_GROWTH
} rsp_filter_settings;

/* One result of a measurement.  struct_size is the same in all results of a filter. */
typedef struct RSP_STRUCT(rsp_result) {
  uint32_t struct_size;
  uint32_t reserved;
  const char *name;  /* lower case, words joined by "-", such as "integrated-loudness" */
  const char *value; /* a number with "." as decimal point, or a text */
  const char *RSP_NULLABLE unit; /* unit of a number, such as "LUFS"; NULL: none */
  RSP_GROWTH
} rsp_result;

/* Changes or measures frames: frames in, frames out.  One thread at a time calls a filter; not always the same one.
   Since 1.5.

   The host calls send, then receive until it returns RSP_AGAIN.  At the end the host sends NULL once to drain, then
   calls receive until it returns RSP_END.  All frames of a filter have the format, the size, the sample rate and the
   channels of settings.track; the host converts others before.  Times of frames that come in are in the time base of
   settings.track, and those of frames that come out in the time base of `track`; both only increase.

   The host passes on the side data of frames, so that a filter need not know it: a frame that comes out without side
   data gets that of the frames that came in since the frame before it, up to its own time.  A frame that comes out
   with side data keeps it. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_filter_factory) {
  /* The head.  `name` is the name in presets.  `codecs` is empty.  `flags` has RSP_FACTORY_CHANGES_TIMES,
     RSP_FACTORY_MEASURES_ONLY and RSP_FACTORY_THREADS_CHANGE_OUTPUT.  Formats, sample rates and channels are those of
     frames that come in. */
  rsp_factory head;
  uint32_t media;    /* RSP_KIND_VIDEO or RSP_KIND_AUDIO */
  uint32_t reserved;
  /* Opens a filter.  RSP_OK: *out is set; the caller owns it and closes it.  `settings` and everything that it points
     to is lent for the call; only settings->job stays valid until close returns. */
  rsp_status (*open)(const rsp_factory *factory, const rsp_filter_settings *settings,
                     rsp_filter *RSP_NULLABLE *RSP_NONNULL out, rsp_error *error);
  /* Returns the description of the frames that come out: size, pixel aspect ratio, format, rates, field order, color
     and time base.  The filter owns it; it is valid until the next call on the filter.  Complete after open.  The host
     chooses the settings of the encoder by it, before there is a frame. */
  const rsp_track *RSP_NONNULL (*RSP_NONNULL track)(rsp_filter *filter);
  /* Takes a frame, which is lent; NULL: drain.  RSP_OK: taken.  RSP_AGAIN: not taken, receive first.  The filter
     retains what it keeps, and does not write to the memory of the frame. */
  rsp_status (*send)(rsp_filter *filter, const rsp_frame *RSP_NULLABLE frame, rsp_error *error);
  /* Returns the next frame.  RSP_OK: the caller owns one reference to frame->buffer.  RSP_AGAIN: no frame yet, send
     more.  RSP_END: drained.  A duration of 0 means: up to the next frame.  The host rejects frames that break the
     limits stated at rsp_frame. */
  rsp_status (*receive)(rsp_filter *filter, rsp_frame *frame, rsp_error *error);
  /* Returns what was measured, `*count` results; NULL: nothing.  Called after receive has returned RSP_END.  The filter
     owns them; they are valid until the next call on the filter.  A field that is NULL: a filter without results. */
  const rsp_result *RSP_NULLABLE (*RSP_NULLABLE results)(rsp_filter *filter, uint32_t *count);
  /* Frees the filter, at any point.  Frames that it returned stay valid. */
  void (*close)(rsp_filter *filter);
  RSP_GROWTH
} rsp_filter_factory;

RSP_NONNULL_END
RSP_C_END
#endif
