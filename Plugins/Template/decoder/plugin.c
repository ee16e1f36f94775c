/* A decoder for G.711 mu-law, which stores one byte for each audio sample.  Replace `decode` by your codec, and its
   name in the description at the end.  The bytes of packets come from files: check all of them. */
#include <respool/helpers.h>

struct rsp_decoder {
  rsp_track track; /* the frames */
  rsp_frame frame; /* the next frame, if it has a buffer */
  int is_drained;
};

static int16_t decode(uint8_t code) {
  int value = (((~code & 15) << 3) + 132) << (~code >> 4 & 7);
  return (int16_t)(code & 128 ? value - 132 : 132 - value);
}

static rsp_status open_decoder(const rsp_factory *factory, const rsp_decoder_settings *settings, rsp_decoder **out,
                               rsp_error *error) {
  const rsp_track *track = settings->track; /* lent; track->extradata is the configuration record, if there is one */
  (void)factory;
  if (strcmp(track->codec, "pcm_mulaw") != 0)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "the codec is %s; only pcm_mulaw is decoded", track->codec);
  if (track->channels < 1 || track->channels > 64 || track->sample_rate < 1)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%u channels at %u Hz; 1 to 64 channels are decoded",
                    track->channels, track->sample_rate);
  rsp_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return rsp_no_memory(error);
  decoder->track = rsp_output_track(track, "pcm_mulaw");
  decoder->track.sample_format = RSP_SAMPLE_S16;
  *out = decoder;
  return RSP_OK;
}

static rsp_status send(rsp_decoder *decoder, const rsp_packet *packet, rsp_error *error) {
  if (decoder->frame.buffer.owner) return RSP_AGAIN; /* the host calls receive, then sends the packet again */
  if (!packet) {
    decoder->is_drained = 1;
    return RSP_OK;
  }
  size_t size = packet->buffer.size;
  if (size == 0 || size % decoder->track.channels != 0 || size > 1u << 26)
    return rsp_fail(error, RSP_ERROR_MALFORMED, "a packet of %zu bytes does not have whole audio samples of %u channels",
                    size, decoder->track.channels);
  decoder->frame = rsp_new_audio_frame(&decoder->track, (uint32_t)(size / decoder->track.channels), packet->pts);
  if (!decoder->frame.buffer.owner) return rsp_no_memory(error);
  decoder->frame.duration = packet->duration;
  for (size_t i = 0; i < size; i++) ((int16_t *)decoder->frame.plane[0])[i] = decode(packet->buffer.data[i]);
  return RSP_OK;
}

static rsp_status receive(rsp_decoder *decoder, rsp_frame *frame, rsp_error *error) {
  (void)error;
  if (!decoder->frame.buffer.owner) return decoder->is_drained ? RSP_END : RSP_AGAIN;
  rsp_copy(frame, &decoder->frame);
  memset(&decoder->frame, 0, sizeof decoder->frame); /* the host has the reference now */
  return RSP_OK;
}

/* Called after a seek. */
static void flush(rsp_decoder *decoder) {
  rsp_release_buffer(&decoder->frame.buffer);
  decoder->is_drained = 0;
}

static void close_decoder(rsp_decoder *decoder) {
  flush(decoder);
  free(decoder);
}

static const char *const codecs[] = {"pcm_mulaw", NULL};
static const rsp_decoder_factory decoder = {
    .head = {.struct_size = sizeof decoder, .kind = RSP_FACTORY_DECODER, .tier = RSP_TIER_STANDARD,
             .name = "template", .long_name = "G.711 mu-law (Template)", .codecs = codecs},
    .open = open_decoder, .send = send, .receive = receive, .flush = flush, .close = close_decoder};

RSP_PLUGIN("Template", "1.0.0", "MIT", &decoder.head);
