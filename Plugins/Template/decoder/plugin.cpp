/* A decoder for G.711 mu-law, which stores one byte for each audio sample.  Replace `decode` by your codec, and its
   name in the description.  The bytes of packets come from files: check all of them.  Exceptions become errors of the
   call. */
#include <respool/plugin.hpp>

class Decoder {
 public:
  static void describe(rsp_factory &head) {
    static const char *const codecs[] = {"pcm_mulaw", nullptr};
    head.name = "template";
    head.long_name = "G.711 mu-law (Template)";
    head.codecs = codecs;
  }

  /* The track is lent for the call; its extradata is the configuration record, if there is one. */
  explicit Decoder(const rsp_decoder_settings &settings) : track(rsp_output_track(settings.track, "pcm_mulaw")) {
    if (std::string(settings.track->codec) != "pcm_mulaw")
      throw respool::Error(RSP_ERROR_UNSUPPORTED,
                           "the codec is " + std::string(settings.track->codec) + "; only pcm_mulaw is decoded");
    if (track.channels < 1 || track.channels > 64 || track.sample_rate < 1)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, std::to_string(track.channels) + " channels; 1 to 64 are decoded");
    track.sample_format = RSP_SAMPLE_S16;
  }

  rsp_status send(const rsp_packet *packet) {
    if (samples) return RSP_AGAIN; /* the host calls receive, then sends the packet again */
    if (!packet) {
      is_drained = true;
      return RSP_OK;
    }
    size_t size = packet->buffer.size;
    if (size == 0 || size % track.channels != 0 || size > 1u << 26)
      throw respool::Error(RSP_ERROR_MALFORMED, "a packet of " + std::to_string(size) +
                                                    " bytes does not have whole audio samples of " +
                                                    std::to_string(track.channels) + " channels");
    next = rsp_new_audio_frame(&track, uint32_t(size / track.channels), packet->pts);
    next.duration = packet->duration;
    samples = respool::Buffer(next.buffer);
    if (!samples) throw std::bad_alloc();
    auto values = reinterpret_cast<int16_t *>(samples.data());
    for (size_t i = 0; i < size; i++) values[i] = decode(packet->buffer.data[i]);
    return RSP_OK;
  }

  rsp_status receive(rsp_frame &frame) {
    if (!samples) return is_drained ? RSP_END : RSP_AGAIN;
    next.buffer = samples.take(); /* the host has the reference now */
    rsp_copy(&frame, &next);
    return RSP_OK;
  }

  /* Called after a seek. */
  void flush() {
    samples = respool::Buffer();
    is_drained = false;
  }

 private:
  static int16_t decode(uint8_t code) {
    int value = (((~code & 15) << 3) + 132) << (~code >> 4 & 7);
    return int16_t(code & 128 ? value - 132 : 132 - value);
  }

  rsp_track track;         /* the frames */
  rsp_frame next = {};     /* the next frame, if `samples` has its memory */
  respool::Buffer samples;
  bool is_drained = false;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::decoder<Decoder>.head);
