/* A demuxer for AU files (NeXT and Sun).  A file is a header of 24 bytes or more, then audio samples: ".snd", offset of the
   audio, its size in bytes (2^32 - 1: unknown), encoding, sample rate, channels; each has 4 bytes, the highest first.
   Replace the header and `read` by your container.  All numbers come from files: check each before it is used.
   Exceptions become errors of the call. */
#include <respool/plugin.hpp>

class Demuxer {
 public:
  static void describe(rsp_factory &head) {
    static const char *const extensions[] = {"au", "snd", nullptr};
    static const rsp_magic magics[] = {{0, 4, reinterpret_cast<const uint8_t *>(".snd"), nullptr}};
    head.name = "template";
    head.long_name = "NeXT and Sun audio (Template)";
    head.extensions = extensions;
    head.magics = magics;
    head.magic_count = 1;
  }

  /* 75: the signature.  The host has compared the magic of the description, or the extension. */
  static int probe(const uint8_t *bytes, size_t count, const char *) {
    return count >= 24 && std::memcmp(bytes, ".snd", 4) == 0 ? 75 : 0;
  }

  /* The source is valid until the object is destroyed; the options are lent for the call. */
  Demuxer(const rsp_source &source, const rsp_options &) : source(source), track(), description() {
    uint8_t header[24];
    respool::checked([&](rsp_error *error) { return rsp_read_exactly(&source, 0, header, sizeof header, error); });
    if (std::memcmp(header, ".snd", 4) != 0)
      throw respool::Error(RSP_ERROR_MALFORMED, "the file does not start with .snd", 0);
    uint32_t numbers[5];
    for (int i = 0; i < 5; i++) numbers[i] = uint32_t(rsp_load_be(header + 4 + 4 * i, 4));
    uint32_t offset = numbers[0], size = numbers[1], rate = numbers[3], channels = numbers[4];
    const Encoding &encoding = find(numbers[2]);
    if (offset < sizeof header || rate < 1 || rate > 768000 || channels < 1 || channels > 64)
      throw respool::Error(RSP_ERROR_MALFORMED, "audio of " + std::to_string(channels) + " channels at " +
                                                    std::to_string(rate) + " Hz is not possible", 4);
    start = position = offset;
    end = size == UINT32_MAX ? source.size : int64_t(offset) + size;
    bool ends_early = source.size >= 0 && end > source.size;
    if (ends_early) end = source.size;
    track = rsp_new_track(RSP_KIND_AUDIO, encoding.codec);
    track.time_base = {1, int32_t(rate)};
    track.start = 0;
    track.sample_rate = rate;
    track.channels = channels;
    track.bits_per_sample = encoding.bits;
    track.block_align = channels * encoding.bits / 8;
    description.struct_size = sizeof description;
    description.track_count = 1;
    description.tracks = tracks;
    description.format = "au";
    description.duration = RSP_NO_TIME;
    if (end >= start) {
      track.duration = (end - start) / track.block_align;
      description.duration = rsp_rescale(track.duration, track.time_base, {1, 1000000000});
    }
    if (ends_early) {
      description.facts = RSP_MEDIA_ENDS_EARLY;
      description.warning = "the file ends before the audio that its header declares";
    }
  }

  const rsp_media &media() const { return description; }

  void select(const uint8_t *wanted, uint32_t count) {
    if (count != 1) throw respool::Error(RSP_ERROR_ARGUMENT, std::to_string(count) + " tracks are selected; there is 1");
    is_wanted = wanted[0] != 0;
  }

  /* The payload is bytes.  If the size of the source is known, it could also be a range of the source, which the host
     copies without the plugin: packet.range_offset and packet.range_length. */
  rsp_status read(rsp_packet &packet) {
    int64_t block = track.block_align, size = 1024 * block;
    if (end >= 0 && end - position < size) size = end - position;
    if (!is_wanted || size < block) return RSP_END;
    respool::Buffer buffer{size_t(size)};
    int64_t got = source.read_at(source.context, position, buffer.data(), buffer.size());
    if (got < 0) throw respool::Error(rsp_status(got), "the source could not be read", position);
    int64_t samples = got / block, time = (position - start) / block;
    if (samples < 1) return RSP_END;
    rsp_packet next = rsp_new_packet(buffer.take(), time, time, samples, RSP_PACKET_KEY);
    next.buffer.size = size_t(samples * block);
    rsp_copy(&packet, &next); /* writes no more than the host has room for */
    position += samples * block;
    return RSP_OK;
  }

  void seek(uint32_t, int64_t time) {
    int64_t last = track.duration == RSP_NO_TIME ? INT32_MAX : track.duration;
    position = start + (time < 0 ? 0 : time > last ? last : time) * track.block_align;
  }

 private:
  struct Encoding {
    uint32_t number;
    const char *codec;
    uint32_t bits;
  };

  static const Encoding &find(uint32_t number) {
    static const Encoding encodings[] = {{1, "pcm_mulaw", 8},  {2, "pcm_s8", 8},     {3, "pcm_s16be", 16},
                                         {4, "pcm_s24be", 24}, {5, "pcm_s32be", 32}, {6, "pcm_f32be", 32},
                                         {7, "pcm_f64be", 64}, {27, "pcm_alaw", 8}};
    for (const Encoding &encoding : encodings)
      if (encoding.number == number) return encoding;
    throw respool::Error(RSP_ERROR_UNSUPPORTED,
                         "the encoding is " + std::to_string(number) + "; 1 to 7 and 27 are read", 12);
  }

  const rsp_source &source;
  int64_t start = 0, end = 0, position = 0; /* bytes in the file */
  bool is_wanted = true;
  rsp_track track;
  const rsp_track *tracks[1] = {&track};
  rsp_media description;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::demuxer<Demuxer>.head);
