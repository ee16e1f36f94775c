/* A muxer for AU files (NeXT and Sun).  A file is a header of 24 bytes, then audio samples: ".snd", offset of the audio, its
   size in bytes (2^32 - 1: unknown), encoding, sample rate, channels; each has 4 bytes, the highest first.  Replace the
   header and `write` by your container.  Exceptions become errors of the call. */
#include <respool/plugin.hpp>

class Muxer {
 public:
  static void describe(rsp_factory &head) {
    static const char *const extensions[] = {"au", "snd", nullptr};
    static const char *const codecs[] = {"pcm_mulaw", "pcm_s8",    "pcm_s16be", "pcm_s24be", "pcm_s32be",
                                         "pcm_f32be", "pcm_f64be", "pcm_alaw",  nullptr};
    head.name = "template";
    head.long_name = "NeXT and Sun audio (Template)";
    head.extensions = extensions;
    head.codecs = codecs;
  }

  static void supports(const rsp_track &track) {
    if (encoding(track.codec) == 0)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, "AU does not carry " + std::string(track.codec) +
                                                      "; it carries big-endian PCM and G.711");
  }

  /* The sink is valid until the object is destroyed; everything else is lent for the call. */
  Muxer(const rsp_media &media, const rsp_sink &sink, const rsp_options &) : sink(sink), base() {
    if (media.track_count != 1)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, std::to_string(media.track_count) + " tracks; an AU file has 1");
    const rsp_track &track = *media.tracks[0];
    supports(track);
    if (track.sample_rate < 1 || track.sample_rate > INT32_MAX || track.channels < 1)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, std::to_string(track.channels) + " channels at " +
                                                   std::to_string(track.sample_rate) + " Hz are not possible");
    base = {1, int32_t(track.sample_rate)};
    uint8_t header[header_size] = {'.', 's', 'n', 'd'};
    rsp_store_be(header + 4, header_size, 4);
    rsp_store_be(header + 8, UINT32_MAX, 4);
    rsp_store_be(header + 12, encoding(track.codec), 4);
    rsp_store_be(header + 16, track.sample_rate, 4);
    rsp_store_be(header + 20, track.channels, 4);
    respool::checked([&](rsp_error *error) { return rsp_write(&sink, header, sizeof header, error); });
  }

  /* The host converts times to this time base. */
  rsp_rational time_base(uint32_t) const { return base; }

  /* The payload is bytes or a range of the source: rsp_payload_size has its size, and the host writes both. */
  void write(const rsp_packet &packet) {
    respool::checked([&](rsp_error *error) { return rsp_write_payload(&sink, &packet, error); });
  }

  void finish(const rsp_media &) {
    int64_t size = sink.size(sink.context) - header_size;
    if (!sink.seekable || size >= UINT32_MAX) return; /* the size stays unknown */
    uint8_t bytes[4];
    rsp_store_be(bytes, uint64_t(size), 4);
    rsp_status status = sink.write_at(sink.context, 8, bytes, sizeof bytes);
    if (status < 0) throw respool::Error(status, "the output could not be written");
  }

 private:
  static constexpr int header_size = 24;

  /* Returns 0 if the container does not carry the codec. */
  static uint32_t encoding(const std::string &codec) {
    static const std::pair<uint32_t, const char *> encodings[] = {
        {1, "pcm_mulaw"}, {2, "pcm_s8"},    {3, "pcm_s16be"}, {4, "pcm_s24be"},
        {5, "pcm_s32be"}, {6, "pcm_f32be"}, {7, "pcm_f64be"}, {27, "pcm_alaw"}};
    for (const auto &each : encodings)
      if (codec == each.second) return each.first;
    return 0;
  }

  const rsp_sink &sink;
  rsp_rational base;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::muxer<Muxer>.head);
