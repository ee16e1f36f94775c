/* A decoder for v308, uncompressed video of QuickTime: 3 bytes for each pixel, Cr, Y and Cb, row after row.  Replace
   `decode` by your codec, and its name in the description at the end.  The bytes of packets come from files: check all
   of them. */
#include <respool/helpers.h>

struct rsp_decoder {
  rsp_track track; /* the frames */
  rsp_frame frame; /* the next frame, if it has a buffer */
  int is_drained;
};

static void decode(const uint8_t *from, const rsp_frame *frame) {
  for (uint32_t y = 0; y < frame->height; y++) {
    uint8_t *rows[3];
    for (int i = 0; i < 3; i++) rows[i] = frame->plane[i] + (ptrdiff_t)y * frame->stride[i];
    for (uint32_t x = 0; x < frame->width; x++, from += 3) {
      rows[2][x] = from[0];
      rows[0][x] = from[1];
      rows[1][x] = from[2];
    }
  }
}

static rsp_status open_decoder(const rsp_factory *factory, const rsp_decoder_settings *settings, rsp_decoder **out,
                               rsp_error *error) {
  const rsp_track *track = settings->track; /* lent; track->extradata is the configuration record, if there is one */
  (void)factory;
  if (strcmp(track->codec, "v308") != 0)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "the codec is %s; only v308 is decoded", track->codec);
  if (track->width < 1 || track->width > 32768 || track->height < 1 || track->height > 32768)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%ux%u pixels; 1 to 32768 are decoded", track->width, track->height);
  rsp_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return rsp_no_memory(error);
  decoder->track = rsp_output_track(track, "v308");
  decoder->track.pixel_format = RSP_PIXEL_YUV444P;
  *out = decoder;
  return RSP_OK;
}

static rsp_status send(rsp_decoder *decoder, const rsp_packet *packet, rsp_error *error) {
  if (decoder->frame.buffer.owner) return RSP_AGAIN; /* the host calls receive, then sends the packet again */
  if (!packet) {
    decoder->is_drained = 1;
    return RSP_OK;
  }
  size_t needed = (size_t)decoder->track.width * decoder->track.height * 3;
  if (packet->buffer.size < needed)
    return rsp_fail(error, RSP_ERROR_MALFORMED, "a packet has %zu bytes; a frame of %ux%u pixels needs %zu",
                    packet->buffer.size, decoder->track.width, decoder->track.height, needed);
  decoder->frame = rsp_new_video_frame(&decoder->track, packet->pts);
  if (!decoder->frame.buffer.owner) return rsp_no_memory(error);
  decoder->frame.duration = packet->duration;
  decode(packet->buffer.data, &decoder->frame);
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

static const char *const codecs[] = {"v308", NULL};
static const rsp_decoder_factory decoder = {
    .head = {.struct_size = sizeof decoder, .kind = RSP_FACTORY_DECODER, .tier = RSP_TIER_STANDARD,
             .name = "template", .long_name = "v308 (Template)", .codecs = codecs},
    .open = open_decoder, .send = send, .receive = receive, .flush = flush, .close = close_decoder};

RSP_PLUGIN("Template", "1.0.0", "MIT", &decoder.head);
