/* An encoder for G.711 mu-law, which stores one byte for each audio sample.  Replace `encode` by your codec, then the
   description at the end: codec, formats, quality scale. */
#include <respool/helpers.h>

struct rsp_encoder {
  rsp_rational time_base; /* of the frames */
  rsp_track track;        /* the encoded track; its time base is one audio sample */
  rsp_packet_queue queue;
  int64_t next;
  int is_drained;
};

static uint8_t encode(int16_t sample) {
  int magnitude = (sample < 0 ? -(int)sample : sample) + 132, segment = 7;
  if (magnitude > 32767) magnitude = 32767;
  while (segment > 0 && !(magnitude & 128 << segment)) segment--;
  return (uint8_t)~((sample < 0 ? 128 : 0) | segment << 4 | (magnitude >> (segment + 3) & 15));
}

/* Called by `respool presets validate` and before every open, so that wrong settings are found early.  Return
   RSP_ERROR_ARGUMENT for options, quality and bit rate, RSP_ERROR_UNSUPPORTED for a track. */
static rsp_status check(const rsp_factory *factory, const rsp_encoder_settings *settings, rsp_error *error) {
  const rsp_track *track = settings->track;
  (void)factory;
  if (strcmp(track->codec, "pcm_mulaw") != 0)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%s is requested; only pcm_mulaw is encoded", track->codec);
  if (track->sample_format != RSP_SAMPLE_S16 || track->channels < 1 || track->channels > 64 || track->sample_rate < 1 ||
      track->sample_rate > INT32_MAX)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%u channels at %u Hz; 1 to 64 channels of s16 are encoded",
                    track->channels, track->sample_rate);
  return RSP_OK;
}

static rsp_status open_encoder(const rsp_factory *factory, const rsp_encoder_settings *settings, rsp_encoder **out,
                               rsp_error *error) {
  rsp_status status = check(factory, settings, error);
  if (status != RSP_OK) return status;
  rsp_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return rsp_no_memory(error);
  encoder->time_base = settings->track->time_base;
  encoder->track = rsp_output_track(settings->track, "pcm_mulaw");
  encoder->track.time_base = (rsp_rational){1, (int32_t)encoder->track.sample_rate};
  encoder->track.bits_per_sample = 8;
  encoder->track.block_align = encoder->track.channels;
  encoder->track.bit_rate = (int64_t)encoder->track.sample_rate * encoder->track.channels * 8;
  *out = encoder;
  return RSP_OK;
}

static const rsp_track *track(rsp_encoder *encoder) { return &encoder->track; }

/* A codec that looks ahead keeps frames here, with a reference: rsp_retain_buffer(&frame->buffer). */
static rsp_status send(rsp_encoder *encoder, const rsp_frame *frame, rsp_error *error) {
  if (!frame) { /* the end: flush what the codec holds back into the queue */
    encoder->is_drained = 1;
    return RSP_OK;
  }
  size_t count = (size_t)frame->sample_count * encoder->track.channels;
  rsp_buffer buffer = rsp_new_buffer(count);
  if (!buffer.owner) return rsp_no_memory(error);
  for (size_t i = 0; i < count; i++) buffer.data[i] = encode(((const int16_t *)frame->plane[0])[i]);
  int64_t time = frame->pts == RSP_NO_TIME ? encoder->next
                                           : rsp_rescale(frame->pts, encoder->time_base, encoder->track.time_base);
  encoder->next = time + frame->sample_count;
  rsp_packet packet = rsp_new_packet(buffer, time, time, frame->sample_count, RSP_PACKET_KEY);
  return rsp_queue_push(&encoder->queue, &packet, error);
}

static rsp_status receive(rsp_encoder *encoder, rsp_packet *packet, rsp_error *error) {
  (void)error;
  return encoder->is_drained && encoder->queue.count == 0 ? RSP_END : rsp_queue_pop(&encoder->queue, packet);
}

static void close_encoder(rsp_encoder *encoder) {
  rsp_queue_free(&encoder->queue);
  free(encoder);
}

/* Rate control that presets may set.  With a quality scale: its direction, limits, step and default. */
static const rsp_encoding encoding = {
    .struct_size = sizeof encoding, .kind = RSP_KIND_AUDIO, .quality_direction = RSP_QUALITY_NONE, .check = check};

static const void *extension(const rsp_factory *factory, const char *id) {
  (void)factory;
  return strcmp(id, RSP_ENCODING) == 0 ? &encoding : NULL;
}

static const char *const codecs[] = {"pcm_mulaw", NULL};
static const uint32_t sample_formats[] = {RSP_SAMPLE_S16, 0};
static const rsp_encoder_factory encoder = {
    .head = {.struct_size = sizeof encoder, .kind = RSP_FACTORY_ENCODER, .tier = RSP_TIER_STANDARD,
             .flags = RSP_FACTORY_VARIABLE_FRAME_SIZE, /* takes any number of audio samples */
             .name = "template", .long_name = "G.711 mu-law (Template)", .codecs = codecs,
             .sample_formats = sample_formats, .minimum_channels = 1, .maximum_channels = 64, .extension = extension},
    .open = open_encoder, .track = track, .send = send, .receive = receive, .close = close_encoder};

RSP_PLUGIN("Template", "1.0.0", "MIT", &encoder.head);
