/* A decoder for v308, uncompressed video of QuickTime: 3 bytes for each pixel, Cr, Y and Cb, row after row.  Replace
   `decode` by your codec, and its name in the description.  The bytes of packets come from files: check all of them.
   Exceptions become errors of the call. */
#include <respool/plugin.hpp>

class Decoder {
 public:
  static void describe(rsp_factory &head) {
    static const char *const codecs[] = {"v308", nullptr};
    head.name = "template";
    head.long_name = "v308 (Template)";
    head.codecs = codecs;
  }

  /* The track is lent for the call; its extradata is the configuration record, if there is one. */
  explicit Decoder(const rsp_decoder_settings &settings) : track(rsp_output_track(settings.track, "v308")) {
    if (std::string(settings.track->codec) != "v308")
      throw respool::Error(RSP_ERROR_UNSUPPORTED,
                           "the codec is " + std::string(settings.track->codec) + "; only v308 is decoded");
    if (track.width < 1 || track.width > 32768 || track.height < 1 || track.height > 32768)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, size() + " pixels; 1 to 32768 in each direction are decoded");
    track.pixel_format = RSP_PIXEL_YUV444P;
  }

  rsp_status send(const rsp_packet *packet) {
    if (pixels) return RSP_AGAIN; /* the host calls receive, then sends the packet again */
    if (!packet) {
      is_drained = true;
      return RSP_OK;
    }
    if (packet->buffer.size < size_t(track.width) * track.height * 3)
      throw respool::Error(RSP_ERROR_MALFORMED, "a packet of " + std::to_string(packet->buffer.size) +
                                                    " bytes is too short for a frame of " + size() + " pixels");
    next = rsp_new_video_frame(&track, packet->pts);
    next.duration = packet->duration;
    pixels = respool::Buffer(next.buffer);
    if (!pixels) throw std::bad_alloc();
    decode(packet->buffer.data);
    return RSP_OK;
  }

  rsp_status receive(rsp_frame &frame) {
    if (!pixels) return is_drained ? RSP_END : RSP_AGAIN;
    next.buffer = pixels.take(); /* the host has the reference now */
    rsp_copy(&frame, &next);
    return RSP_OK;
  }

  /* Called after a seek. */
  void flush() {
    pixels = respool::Buffer();
    is_drained = false;
  }

 private:
  void decode(const uint8_t *from) {
    for (uint32_t y = 0; y < track.height; y++) {
      auto row = [&](int plane) { return next.plane[plane] + ptrdiff_t(y) * next.stride[plane]; };
      for (uint32_t x = 0; x < track.width; x++)
        for (int plane : {2, 0, 1}) row(plane)[x] = *from++;
    }
  }

  std::string size() const { return std::to_string(track.width) + "x" + std::to_string(track.height); }

  rsp_track track;     /* the frames */
  rsp_frame next = {}; /* the next frame, if `pixels` has its memory */
  respool::Buffer pixels;
  bool is_drained = false;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::decoder<Decoder>.head);
