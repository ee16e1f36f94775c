/* A filter that changes the level of audio by a number of decibels.  Replace `send` by your filter, and the formats and
   options in the description.  The host converts frames to a format that the filter lists.  Exceptions become errors of
   the call. */
#include <respool/plugin.hpp>

#include <cmath>

class Filter {
 public:
  static constexpr uint32_t media = RSP_KIND_AUDIO;

  static void describe(rsp_factory &head) {
    static const uint32_t sample_formats[] = {RSP_SAMPLE_FLT, 0};
    static const rsp_option options[] = {
        {sizeof(rsp_option), RSP_OPTION_NUMBER, "gain", "Change of the level in decibels", "-6", -60, 60, nullptr}};
    head.name = "template";
    head.long_name = "Level of audio (Template)";
    head.sample_formats = sample_formats;
    head.options = options;
    head.option_count = 1;
  }

  /* The host has checked the options against the description.  An option that is not set is missing. */
  explicit Filter(const rsp_filter_settings &settings)
      : output(rsp_output_track(settings.track, "")),
        factor(float(std::pow(10, rsp_option_number(&settings.options, "gain", -6) / 20))) {
    if (output.sample_format != RSP_SAMPLE_FLT || output.channels < 1)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, "the sample format is not flt");
  }

  /* The frames that come out. */
  const rsp_track &track() const { return output; }

  /* The memory of a frame that comes in belongs to others: a filter writes to a new one. */
  rsp_status send(const rsp_frame *frame) {
    if (samples) return RSP_AGAIN; /* the host calls receive, then sends the frame again */
    if (!frame) {
      is_drained = true;
      return RSP_OK;
    }
    next = rsp_new_audio_frame(&output, frame->sample_count, frame->pts);
    next.duration = frame->duration;
    samples = respool::Buffer(next.buffer);
    if (!samples) throw std::bad_alloc();
    auto from = reinterpret_cast<const float *>(frame->plane[0]);
    auto to = reinterpret_cast<float *>(samples.data());
    for (size_t i = 0; i < size_t(frame->sample_count) * output.channels; i++) to[i] = from[i] * factor;
    return RSP_OK;
  }

  rsp_status receive(rsp_frame &frame) {
    if (!samples) return is_drained ? RSP_END : RSP_AGAIN;
    next.buffer = samples.take(); /* the host has the reference now */
    rsp_copy(&frame, &next);
    return RSP_OK;
  }

 private:
  rsp_track output;
  float factor;
  rsp_frame next = {}; /* the next frame, if `samples` has its memory */
  respool::Buffer samples;
  bool is_drained = false;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::filter<Filter>.head);
