/* A filter that changes the level of audio by a number of decibels.  Replace `send` by your filter, and the formats and
   options in the description at the end.  The host converts frames to a format that the filter lists. */
#include <math.h>
#include <respool/helpers.h>

struct rsp_filter {
  rsp_track track; /* the frames that come out */
  float factor;
  rsp_frame frame; /* the next frame, if it has a buffer */
  int is_drained;
};

static rsp_status open_filter(const rsp_factory *factory, const rsp_filter_settings *settings, rsp_filter **out,
                              rsp_error *error) {
  (void)factory;
  if (settings->track->sample_format != RSP_SAMPLE_FLT || settings->track->channels < 1)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "the sample format is %u; flt is filtered",
                    settings->track->sample_format);
  rsp_filter *filter = calloc(1, sizeof *filter);
  if (!filter) return rsp_no_memory(error);
  filter->track = rsp_output_track(settings->track, "");
  /* The host has checked the value against the description.  An option that is not set is missing. */
  filter->factor = (float)pow(10, rsp_option_number(&settings->options, "gain", -6) / 20);
  *out = filter;
  return RSP_OK;
}

static const rsp_track *track(rsp_filter *filter) { return &filter->track; }

/* The memory of a frame that comes in belongs to others: a filter writes to a new one. */
static rsp_status send(rsp_filter *filter, const rsp_frame *frame, rsp_error *error) {
  if (filter->frame.buffer.owner) return RSP_AGAIN; /* the host calls receive, then sends the frame again */
  if (!frame) {
    filter->is_drained = 1;
    return RSP_OK;
  }
  filter->frame = rsp_new_audio_frame(&filter->track, frame->sample_count, frame->pts);
  if (!filter->frame.buffer.owner) return rsp_no_memory(error);
  filter->frame.duration = frame->duration;
  const float *from = (const float *)frame->plane[0];
  float *to = (float *)filter->frame.plane[0];
  for (size_t i = 0; i < (size_t)frame->sample_count * filter->track.channels; i++) to[i] = from[i] * filter->factor;
  return RSP_OK;
}

static rsp_status receive(rsp_filter *filter, rsp_frame *frame, rsp_error *error) {
  (void)error;
  if (!filter->frame.buffer.owner) return filter->is_drained ? RSP_END : RSP_AGAIN;
  rsp_copy(frame, &filter->frame);
  memset(&filter->frame, 0, sizeof filter->frame); /* the host has the reference now */
  return RSP_OK;
}

static void close_filter(rsp_filter *filter) {
  rsp_release_buffer(&filter->frame.buffer);
  free(filter);
}

static const uint32_t sample_formats[] = {RSP_SAMPLE_FLT, 0};
static const rsp_option options[] = {
    {sizeof(rsp_option), RSP_OPTION_NUMBER, "gain", "Change of the level in decibels", "-6", -60, 60, NULL}};
static const rsp_filter_factory filter = {
    .head = {.struct_size = sizeof filter, .kind = RSP_FACTORY_FILTER, .tier = RSP_TIER_STANDARD, .name = "template",
             .long_name = "Level of audio (Template)", .sample_formats = sample_formats, .options = options,
             .option_count = 1},
    .media = RSP_KIND_AUDIO, .open = open_filter, .track = track, .send = send, .receive = receive,
    .close = close_filter};

RSP_PLUGIN("Template", "1.0.0", "MIT", &filter.head);
