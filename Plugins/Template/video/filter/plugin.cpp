/* A filter that changes the brightness of video by a number of levels.  Replace `send` by your filter, and the formats
   and options in the description.  The host converts frames to a format that the filter lists.  Exceptions become errors
   of the call. */
#include <respool/plugin.hpp>

class Filter {
 public:
  static constexpr uint32_t media = RSP_KIND_VIDEO;

  static void describe(rsp_factory &head) {
    static const uint32_t pixel_formats[] = {RSP_PIXEL_YUV420P, RSP_PIXEL_YUV422P, RSP_PIXEL_YUV444P, RSP_PIXEL_GRAY,
                                             0};
    static const rsp_option options[] = {
        {sizeof(rsp_option), RSP_OPTION_INT, "level", "Change of the brightness in levels", "16", -255, 255, nullptr}};
    head.name = "template";
    head.long_name = "Brightness of video (Template)";
    head.pixel_formats = pixel_formats;
    head.options = options;
    head.option_count = 1;
  }

  /* The host has checked the options against the description.  An option that is not set is missing. */
  explicit Filter(const rsp_filter_settings &settings)
      : output(rsp_output_track(settings.track, "")), level(int(rsp_option_int(&settings.options, "level", 16))) {
    size_t row, rows;
    if (!rsp_plane_size(output.pixel_format, 0, 1, 1, &row, &rows) || row != 1)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, "the pixel format does not have planes of 8 bits");
  }

  /* The frames that come out. */
  const rsp_track &track() const { return output; }

  /* The memory of a frame that comes in belongs to others: a filter writes to a new one. */
  rsp_status send(const rsp_frame *frame) {
    if (pixels) return RSP_AGAIN; /* the host calls receive, then sends the frame again */
    if (!frame) {
      is_drained = true;
      return RSP_OK;
    }
    next = rsp_new_video_frame(&output, frame->pts);
    next.duration = frame->duration;
    next.flags = frame->flags;
    pixels = respool::Buffer(next.buffer);
    if (!pixels) throw std::bad_alloc();
    size_t row, rows;
    for (uint32_t i = 0; rsp_plane_size(frame->format, i, frame->width, frame->height, &row, &rows); i++)
      for (size_t y = 0; y < rows; y++) {
        auto from = frame->plane[i] + ptrdiff_t(y) * frame->stride[i];
        auto to = next.plane[i] + ptrdiff_t(y) * next.stride[i];
        std::memcpy(to, from, row);
        for (size_t x = 0; i == 0 && x < row; x++) to[x] = brighter(from[x]); /* luma */
      }
    return RSP_OK;
  }

  rsp_status receive(rsp_frame &frame) {
    if (!pixels) return is_drained ? RSP_END : RSP_AGAIN;
    next.buffer = pixels.take(); /* the host has the reference now */
    rsp_copy(&frame, &next);
    return RSP_OK;
  }

 private:
  uint8_t brighter(int value) const { return uint8_t(value + level < 0 ? 0 : value + level > 255 ? 255 : value + level); }

  rsp_track output;
  int level;
  rsp_frame next = {}; /* the next frame, if `pixels` has its memory */
  respool::Buffer pixels;
  bool is_drained = false;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::filter<Filter>.head);
