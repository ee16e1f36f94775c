/* An audio encoder with the extension RSP_ENCODING.  Its packets tell the tests what the host gave it: at open, it warns
   with the bit rate and the key-frame interval of its settings, and each packet has one byte, 1 if the job is
   cancelled.  ENCODING_SIZE, ENCODING_KIND and BEST make the extension malformed; LOSES, REPEATS, PADS, EMPTY and WAITS
   make the encoder lose the second frame, return it twice, pad it, return empty packets for ever, or never end. */
#include <respool/helpers.h>

struct rsp_encoder {
  rsp_track track;
  const rsp_job *job;
  int full, drained;
  int64_t time, duration;
  uint8_t cancelled;
  int count;
};

static rsp_status check(const rsp_factory *factory, const rsp_encoder_settings *settings, rsp_error *error) {
  (void)factory;
  if (settings->bit_rate != 77777) return RSP_OK;
  return rsp_fail(error, RSP_ERROR_ARGUMENT, "77777 bits per second are unlucky");
}

static int64_t memory(const rsp_factory *factory, const rsp_encoder_settings *settings) {
  (void)factory;
  return settings->bit_rate * 10;
}

static rsp_status open_encoder(const rsp_factory *factory, const rsp_encoder_settings *settings, rsp_encoder **out,
                               rsp_error *error) {
  rsp_status status = check(factory, settings, error);
  if (status != RSP_OK) return status;
  rsp_encoder *encoder = calloc(1, sizeof *encoder);
  encoder->track = *settings->track;
  encoder->track.struct_size = sizeof encoder->track;
  encoder->track.codec = "rated";
  encoder->job = settings->job;
  if (encoder->job) {
    char text[80];
    snprintf(text, sizeof text, "bit rate %lld, key frames %u", (long long)settings->bit_rate,
             settings->key_frame_interval);
    encoder->job->warn(encoder->job->context, text);
    encoder->job->warn(encoder->job->context, text);
  }
  *out = encoder;
  return RSP_OK;
}

static const rsp_track *track(rsp_encoder *encoder) { return &encoder->track; }

static rsp_status send(rsp_encoder *encoder, const rsp_frame *frame, rsp_error *error) {
  (void)error;
  if (encoder->full) return RSP_AGAIN;
  if (!frame) {
    encoder->drained = 1;
    return RSP_OK;
  }
  encoder->full = 1;
  encoder->count++;
  encoder->duration = frame->sample_count;
  encoder->cancelled = encoder->job ? (uint8_t)encoder->job->cancelled(encoder->job->context) : 2;
  return RSP_OK;
}

static void keep(void *owner) { (void)owner; }

static rsp_status receive(rsp_encoder *encoder, rsp_packet *packet, rsp_error *error) {
  (void)error;
  static uint8_t bytes[3] = {0, 1, 2};
#if defined(WAITS)
  if (!encoder->full) return RSP_AGAIN;
#endif
  if (!encoder->full) return encoder->drained ? RSP_END : RSP_AGAIN;
  packet->pts = packet->dts = encoder->time;
  packet->duration = encoder->duration;
#if defined(LOSES)
  if (encoder->count == 2) {
    encoder->full = 0;
    return RSP_AGAIN;
  }
#endif
#if defined(PADS)
  if (encoder->count == 2) packet->duration += 480;
#endif
  encoder->time += packet->duration;
  packet->flags = RSP_PACKET_KEY;
  packet->buffer = (rsp_buffer){&bytes[encoder->cancelled], 1, bytes, keep, keep};
#if defined(EMPTY)
  packet->buffer.size = 0;
  return RSP_OK;
#endif
#if defined(REPEATS)
  if (encoder->count == 2) {
    encoder->count = 3;
    return RSP_OK;
  }
#endif
  encoder->full = 0;
  return RSP_OK;
}

static void close_encoder(rsp_encoder *encoder) { free(encoder); }

#if !defined(ENCODING_SIZE)
#define ENCODING_SIZE sizeof(rsp_encoding)
#endif
#if !defined(ENCODING_KIND)
#define ENCODING_KIND RSP_KIND_AUDIO
#endif
#if !defined(BEST)
#define BEST 10
#endif

static const rsp_encoding encoding = {
    .struct_size = ENCODING_SIZE, .kind = ENCODING_KIND, .quality_direction = RSP_QUALITY_HIGHER_IS_BETTER,
    .quality_minimum = 1, .quality_maximum = BEST, .quality_step = 0.5, .quality_default = 5,
    .minimum_bit_rate = 1000, .maximum_bit_rate = 100000, .check = check, .memory = memory};

static const void *extension(const rsp_factory *factory, const char *id) {
  (void)factory;
  return strcmp(id, RSP_ENCODING) == 0 ? &encoding : NULL;
}

static const char *const codecs[] = {"rated", NULL};
static const rsp_encoder_factory encoder = {
    .head = {.struct_size = sizeof encoder, .kind = RSP_FACTORY_ENCODER, .flags = RSP_FACTORY_VARIABLE_FRAME_SIZE,
             .name = "rated", .long_name = "encoder with a quality scale", .codecs = codecs, .extension = extension},
    .open = open_encoder, .track = track, .send = send, .receive = receive, .close = close_encoder};

RSP_PLUGIN("rated", "1.0.0", "MIT", &encoder.head);
