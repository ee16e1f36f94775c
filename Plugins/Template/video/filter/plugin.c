/* A filter that changes the brightness of video by a number of levels.  Replace `send` by your filter, and the formats
   and options in the description at the end.  The host converts frames to a format that the filter lists. */
#include <respool/helpers.h>

struct rsp_filter {
  rsp_track track; /* the frames that come out */
  int level;
  rsp_frame frame; /* the next frame, if it has a buffer */
  int is_drained;
};

static rsp_status open_filter(const rsp_factory *factory, const rsp_filter_settings *settings, rsp_filter **out,
                              rsp_error *error) {
  (void)factory;
  size_t row, rows;
  if (!rsp_plane_size(settings->track->pixel_format, 0, 1, 1, &row, &rows) || row != 1)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "the pixel format is %u; planes of 8 bits are filtered",
                    settings->track->pixel_format);
  rsp_filter *filter = calloc(1, sizeof *filter);
  if (!filter) return rsp_no_memory(error);
  filter->track = rsp_output_track(settings->track, "");
  /* The host has checked the value against the description.  An option that is not set is missing. */
  filter->level = (int)rsp_option_int(&settings->options, "level", 16);
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
  filter->frame = rsp_new_video_frame(&filter->track, frame->pts);
  if (!filter->frame.buffer.owner) return rsp_no_memory(error);
  filter->frame.duration = frame->duration;
  filter->frame.flags = frame->flags;
  size_t row, rows;
  for (uint32_t i = 0; rsp_plane_size(frame->format, i, frame->width, frame->height, &row, &rows); i++)
    for (size_t y = 0; y < rows; y++) {
      const uint8_t *from = frame->plane[i] + (ptrdiff_t)y * frame->stride[i];
      uint8_t *to = filter->frame.plane[i] + (ptrdiff_t)y * filter->frame.stride[i];
      memcpy(to, from, row);
      for (size_t x = 0; i == 0 && x < row; x++) { /* luma */
        int value = from[x] + filter->level;
        to[x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
      }
    }
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

static const uint32_t pixel_formats[] = {RSP_PIXEL_YUV420P, RSP_PIXEL_YUV422P, RSP_PIXEL_YUV444P, RSP_PIXEL_GRAY, 0};
static const rsp_option options[] = {
    {sizeof(rsp_option), RSP_OPTION_INT, "level", "Change of the brightness in levels", "16", -255, 255, NULL}};
static const rsp_filter_factory filter = {
    .head = {.struct_size = sizeof filter, .kind = RSP_FACTORY_FILTER, .tier = RSP_TIER_STANDARD, .name = "template",
             .long_name = "Brightness of video (Template)", .pixel_formats = pixel_formats, .options = options,
             .option_count = 1},
    .media = RSP_KIND_VIDEO, .open = open_filter, .track = track, .send = send, .receive = receive,
    .close = close_filter};

RSP_PLUGIN("Template", "1.0.0", "MIT", &filter.head);
