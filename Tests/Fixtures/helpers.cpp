/* Checks of respool/plugin.hpp: each call of an encoder and of a demuxer throws what a test wants, and a queue and
   buffers are used as by an encoder.  Ends with 1 and the line of the first check that fails. */
#include <respool/plugin.hpp>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      std::printf("line %d: %s\n", __LINE__, #condition);    \
      std::exit(1);                                          \
    }                                                        \
  } while (0)

static std::function<void()> mishap = [] {};
static std::vector<std::string> logged;
static int alive = 0;

class Throwing {
 public:
  static void describe(rsp_factory &head) { head.name = head.long_name = "throwing"; }
  static rsp_encoding encoding() {
    rsp_encoding result = {};
    result.kind = RSP_KIND_AUDIO;
    return result;
  }
  static void check(const rsp_encoder_settings &) { mishap(); }
  explicit Throwing(const rsp_encoder_settings &settings) : output(rsp_output_track(settings.track, "throwing")) {
    mishap();
    alive++;
  }
  ~Throwing() { alive--; }
  const rsp_track &track() const { return output; }
  rsp_status send(const rsp_frame *frame) {
    mishap();
    if (frame) queue.push(respool::Buffer::retaining(frame->buffer), frame->pts, frame->pts, 1, RSP_PACKET_KEY).trim_end =
          frame->pts;
    drained = frame == nullptr;
    return RSP_OK;
  }
  rsp_status receive(rsp_packet &packet) {
    mishap();
    return drained && queue.empty() ? RSP_END : queue.pop(packet);
  }

 private:
  rsp_track output;
  respool::PacketQueue queue;
  bool drained = false;
};

class Reader {
 public:
  static void describe(rsp_factory &head) { head.name = head.long_name = "throwing"; }
  static int probe(const uint8_t *, size_t, const char *) {
    mishap();
    return 75;
  }
  Reader(const rsp_source &, const rsp_options &) : description() {}
  const rsp_media &media() const { return description; }
  void select(const uint8_t *, uint32_t) { mishap(); }
  rsp_status read(rsp_packet &) {
    mishap();
    return RSP_END;
  }
  void seek(uint32_t, int64_t) { mishap(); }

 private:
  rsp_media description;
};

class Flushing {
 public:
  static void describe(rsp_factory &head) { head.name = head.long_name = "throwing"; }
  explicit Flushing(const rsp_decoder_settings &) {}
  rsp_status send(const rsp_packet *) { return RSP_OK; }
  rsp_status receive(rsp_frame &) { return RSP_AGAIN; }
  void flush() { mishap(); }
};

RSP_PLUGIN("throwing", "1.0.0", "MIT", &respool::encoder<Throwing>.head, &respool::demuxer<Reader>.head,
           &respool::decoder<Flushing>.head);

struct Case {
  std::function<void()> mishap;
  rsp_status status;
  std::string message;
  int64_t offset;
};

int main() {
  rsp_error ignored = {};
  const uint8_t none[1] = {};
  rsp_host host = {};
  host.struct_size = sizeof host;
  host.log = [](void *, int32_t, const char *message) { logged.push_back(message); };
  const rsp_plugin_info *info = respool_plugin.describe(&host);
  CHECK(info->factory_count == 3 && std::string(info->name) == "throwing");
  const auto &encoder = respool::encoder<Throwing>;
  const auto &demuxer = respool::demuxer<Reader>;
  const auto &decoder = respool::decoder<Flushing>;
  CHECK(encoder.head.kind == RSP_FACTORY_ENCODER && encoder.head.struct_size == sizeof encoder);

  rsp_track track = rsp_new_track(RSP_KIND_AUDIO, "pcm_u8");
  track.sample_rate = 8000;
  track.channels = 1;
  track.sample_format = RSP_SAMPLE_U8;
  rsp_encoder_settings settings = {};
  settings.struct_size = sizeof settings;
  settings.track = &track;
  rsp_encoder *open = nullptr;
  CHECK(encoder.open(&encoder.head, &settings, &open, &ignored) == RSP_OK);
  rsp_demuxer *reader = nullptr;
  rsp_source source = {};
  rsp_options options = {};
  CHECK(demuxer.open(&demuxer.head, &source, &options, &reader, &ignored) == RSP_OK);
  rsp_decoder *flushing = nullptr;
  rsp_decoder_settings decoding = {};
  CHECK(decoder.open(&decoder.head, &decoding, &flushing, &ignored) == RSP_OK);

  auto encoding = static_cast<const rsp_encoding *>(encoder.head.extension(&encoder.head, RSP_ENCODING));
  CHECK(encoding && encoding->struct_size == sizeof *encoding && encoding->kind == RSP_KIND_AUDIO);
  CHECK(encoder.head.extension(&encoder.head, "other") == nullptr);
  CHECK(encoding->check(&encoder.head, &settings, &ignored) == RSP_OK);

  const Case cases[] = {
      {[] { throw respool::Error(RSP_ERROR_MALFORMED, "a bad length", 7); }, RSP_ERROR_MALFORMED, "a bad length", 7},
      {[] { throw respool::Error(RSP_OK, "no status"); }, RSP_ERROR_INTERNAL, "no status", -1},
      {[] { throw std::runtime_error("100%s wrong"); }, RSP_ERROR_PLUGIN, "100%s wrong", -1},
      {[] { std::vector<int>().at(1); }, RSP_ERROR_PLUGIN, "vector::_M_range_check", -1},
      {[] { throw std::bad_alloc(); }, RSP_ERROR_PLUGIN, "out of memory", -1},
      {[] { throw 42; }, RSP_ERROR_PLUGIN, "an unknown exception", -1},
      {[] { respool::checked([](rsp_error *e) { return rsp_fail_at(e, RSP_ERROR_IO, 3, "lost"); }); }, RSP_ERROR_IO,
       "lost", 3},
  };
  for (const Case &each : cases) {
    mishap = each.mishap;
    auto holds = [&](const char *call, std::function<rsp_status(rsp_error *)> body) {
      rsp_error error = {};
      error.struct_size = sizeof error;
      rsp_status status = body(&error);
      if (status != each.status || error.status != each.status || error.offset != each.offset ||
          std::string(error.message).find(each.message) != 0) {
        std::printf("%s: %d %s\n", call, status, error.message);
        std::exit(1);
      }
    };
    rsp_encoder *other = nullptr;
    rsp_packet packet = {};
    packet.struct_size = sizeof packet;
    holds("open", [&](rsp_error *error) { return encoder.open(&encoder.head, &settings, &other, error); });
    CHECK(other == nullptr && alive == 1);
    holds("check", [&](rsp_error *error) { return encoding->check(&encoder.head, &settings, error); });
    holds("send", [&](rsp_error *error) { return encoder.send(open, nullptr, error); });
    holds("receive", [&](rsp_error *error) { return encoder.receive(open, &packet, error); });
    holds("read", [&](rsp_error *error) { return demuxer.read(reader, &packet, error); });
    holds("select", [&](rsp_error *error) { return demuxer.select(reader, none, 0, error); });
    holds("seek", [&](rsp_error *error) { return demuxer.seek(reader, 0, 0, error); });
    CHECK(demuxer.probe(&demuxer.head, none, 0, "") == 0);
    logged.clear();
    decoder.flush(flushing);
    CHECK(logged.size() == 1 && logged[0].find("flush: " + each.message) == 0);
  }

  mishap = [] {};
  CHECK(demuxer.probe(&demuxer.head, none, 0, "") == 75);
  rsp_frame frame = rsp_new_audio_frame(&track, 100, 0);
  for (int i = 0; i < 20; i++) {
    frame.pts = i;
    CHECK(encoder.send(open, &frame, &ignored) == RSP_OK);
  }
  rsp_release_buffer(&frame.buffer);
  rsp_packet packet = {};
  packet.struct_size = sizeof packet;
  for (int i = 0; i < 5; i++) {
    CHECK(encoder.receive(open, &packet, &ignored) == RSP_OK && packet.pts == i && packet.trim_end == i &&
          packet.buffer.size == 100);
    rsp_release_buffer(&packet.buffer);
  }
  CHECK(std::string(encoder.track(open)->codec) == "throwing");
  encoder.close(open); /* with packets in the queue */
  demuxer.close(reader);
  decoder.close(flushing);
  CHECK(alive == 0);

  respool::Buffer one(10), two = one, three;
  three = std::move(one);
  CHECK(!one && two.data() == three.data() && three.size() == 10);
  rsp_buffer raw = three.take();
  CHECK(!three);
  rsp_release_buffer(&raw);
  std::printf("%zu kinds of exceptions\n", sizeof cases / sizeof *cases);
}
