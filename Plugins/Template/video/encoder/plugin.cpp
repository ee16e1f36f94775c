/* An encoder for v308, uncompressed video of QuickTime: 3 bytes for each pixel, Cr, Y and Cb, row after row.  Replace
   `encode` by your codec, then the description: codec, formats, quality scale.  Exceptions become errors of the call. */
#include <respool/plugin.hpp>

class Encoder {
 public:
  static void describe(rsp_factory &head) {
    static const char *const codecs[] = {"v308", nullptr};
    static const uint32_t pixel_formats[] = {RSP_PIXEL_YUV444P, 0};
    head.name = "template";
    head.long_name = "v308 (Template)";
    head.codecs = codecs;
    head.pixel_formats = pixel_formats;
  }

  /* Rate control that presets may set.  With a quality scale: its direction, limits, step and default. */
  static rsp_encoding encoding() {
    rsp_encoding result = {};
    result.kind = RSP_KIND_VIDEO;
    result.quality_direction = RSP_QUALITY_NONE;
    return result;
  }

  /* Called by `respool presets validate` and before every open, so that wrong settings are found early.  Throw
     RSP_ERROR_ARGUMENT for options, quality and bit rate, RSP_ERROR_UNSUPPORTED for a track. */
  static void check(const rsp_encoder_settings &settings) {
    const rsp_track &input = *settings.track;
    if (std::string(input.codec) != "v308")
      throw respool::Error(RSP_ERROR_UNSUPPORTED, std::string(input.codec) + " is requested; only v308 is encoded");
    if (input.pixel_format != RSP_PIXEL_YUV444P || input.width < 1 || input.height < 1)
      throw respool::Error(RSP_ERROR_UNSUPPORTED, "the pixel format is " + std::to_string(input.pixel_format) +
                                                      "; yuv444p is encoded");
  }

  /* Everything that `settings` points to is lent for the call: copy what is needed later. */
  explicit Encoder(const rsp_encoder_settings &settings) : output(rsp_output_track(settings.track, "v308")) {
    check(settings);
  }

  /* The encoded track, with the time base of the frames. */
  const rsp_track &track() const { return output; }

  /* A codec that looks ahead keeps frames here, with a reference: respool::Buffer::retaining(frame->buffer).  If
     frame->flags has RSP_FRAME_MUST_BE_KEY, the packet is a key packet; here all are. */
  rsp_status send(const rsp_frame *frame) {
    if (!frame) { /* the end: flush what the codec holds back into the queue */
      is_drained = true;
      return RSP_OK;
    }
    respool::Buffer buffer(size_t(frame->width) * frame->height * 3);
    encode(*frame, buffer.data());
    int64_t time = frame->pts == RSP_NO_TIME ? next : frame->pts;
    next = time + frame->duration;
    queue.push(std::move(buffer), time, time, frame->duration, RSP_PACKET_KEY);
    return RSP_OK;
  }

  rsp_status receive(rsp_packet &packet) { return is_drained && queue.empty() ? RSP_END : queue.pop(packet); }

 private:
  static void encode(const rsp_frame &frame, uint8_t *to) {
    for (uint32_t y = 0; y < frame.height; y++) {
      auto row = [&](int plane) { return frame.plane[plane] + ptrdiff_t(y) * frame.stride[plane]; };
      for (uint32_t x = 0; x < frame.width; x++)
        for (int plane : {2, 0, 1}) *to++ = row(plane)[x];
    }
  }

  rsp_track output;
  respool::PacketQueue queue;
  int64_t next = 0;
  bool is_drained = false;
};

RSP_PLUGIN("Template", "1.0.0", "MIT", &respool::encoder<Encoder>.head);
