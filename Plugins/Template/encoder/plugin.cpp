/* An encoder for G.711 mu-law, which stores one byte for each audio sample.  Replace `encode` by your codec, then the
   description: codec, formats, quality scale.  Exceptions become errors of the call. */
#include <respool/plugin.hpp>

class Encoder {
 public:
  static void describe(rsp_factory &head) {
    static const char *const codecs[] = {"pcm_mulaw", nullptr};
    static const uint32_t sample_formats[] = {RSP_SAMPLE_S16, 0};
    head.name = "template";
    head.long_name = "G.711 mu-law (Template)";
    head.flags = RSP_FACTORY_VARIABLE_FRAME_SIZE; /* takes any number of audio samples */
    head.codecs = codecs;
    head.sample_formats = sample_formats;
    head.minimum_channels = 1;
    head.maximum_channels = 64;
  }

  /* Rate control that presets may set.  With a quality scale: its direction, limits, step and default. */
  static rsp_encoding encoding() {
    rsp_encoding result = {};
    result.kind = RSP_KIND_AUDIO;
    result.quality_direction = RSP_QUALITY_NONE;
    return result;
  }

  /* Called by `respool presets validate` and before every open, so that wrong settings are found early.  Throw
     RSP_ERROR_ARGUMENT for options, quality and bit rate, RSP_ERROR_UNSUPPORTED for a track. */
  static void check(const rsp_encoder_settings &settings) {
    const rsp_track &input = *settings.track;
    if (std::string(input.codec) != "pcm_mulaw")
      throw respool::Error(RSP_ERROR_UNSUPPORTED, std::string(input.codec) + " is requested; only pcm_mulaw is encoded");
    if (input.sample_format != RSP_SAMPLE_S16 || input.channels < 1 || input.channels > 64 || input.sample_rate < 1 ||
        input.sample_rate > INT32_MAX)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, std::to_string(input.channels) + " channels at " +
                                                      std::to_string(input.sample_rate) +
                                                      " Hz; 1 to 64 channels of s16 are encoded");
  }

  /* Everything that `settings` points to is lent for the call: copy what is needed later. */
  explicit Encoder(const rsp_encoder_settings &settings)
      : time_base(settings.track->time_base), output(rsp_output_track(settings.track, "pcm_mulaw")) {
    check(settings);
    output.time_base = {1, int32_t(output.sample_rate)};
    output.bits_per_sample = 8;
    output.block_align = output.channels;
    output.bit_rate = int64_t(output.sample_rate) * output.channels * 8;
  }

  const rsp_track &track() const { return output; }

  /* A codec that looks ahead keeps frames here, with a reference: respool::Buffer::retaining(frame->buffer). */
  rsp_status send(const rsp_frame *frame) {
    if (!frame) { /* the end: flush what the codec holds back into the queue */
      is_drained = true;
      return RSP_OK;
    }
    auto samples = reinterpret_cast<const int16_t *>(frame->plane[0]);
    respool::Buffer buffer(size_t(frame->sample_count) * output.channels);
    for (size_t i = 0; i < buffer.size(); i++) buffer.data()[i] = encode(samples[i]);
    int64_t time = frame->pts == RSP_NO_TIME ? next : rsp_rescale(frame->pts, time_base, output.time_base);
    next = time + frame->sample_count;
    queue.push(std::move(buffer), time, time, frame->sample_count, RSP_PACKET_KEY);
    return RSP_OK;
  }

  rsp_status receive(rsp_packet &packet) { return is_drained && queue.empty() ? RSP_END : queue.pop(packet); }

 private:
  static uint8_t encode(int16_t sample) {
    int magnitude = (sample < 0 ? -int(sample) : sample) + 132, segment = 7;
    if (magnitude > 32767) magnitude = 32767;
    while (segment > 0 && !(magnitude & 128 << segment)) segment--;
    return uint8_t(~((sample < 0 ? 128 : 0) | segment << 4 | (magnitude >> (segment + 3) & 15)));
  }

  rsp_rational time_base; /* of the frames */
  rsp_track output;       /* the encoded track; its time base is one audio sample */
  respool::PacketQueue queue;
  int64_t next = 0;
  bool is_drained = false;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::encoder<Encoder>.head);
