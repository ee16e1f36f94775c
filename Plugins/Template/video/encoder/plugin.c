/* An encoder for v308, uncompressed video of QuickTime: 3 bytes for each pixel, Cr, Y and Cb, row after row.  Replace
   `encode` by your codec, then the description at the end: codec, formats, quality scale. */
#include <respool/helpers.h>

struct rsp_encoder {
  rsp_track track; /* the encoded track, with the time base of the frames */
  rsp_packet_queue queue;
  int64_t next;
  int is_drained;
};

static void encode(const rsp_frame *frame, uint8_t *to) {
  for (uint32_t y = 0; y < frame->height; y++) {
    const uint8_t *rows[3];
    for (int i = 0; i < 3; i++) rows[i] = frame->plane[i] + (ptrdiff_t)y * frame->stride[i];
    for (uint32_t x = 0; x < frame->width; x++, to += 3) {
      to[0] = rows[2][x];
      to[1] = rows[0][x];
      to[2] = rows[1][x];
    }
  }
}

/* Called by `respool presets validate` and before every open, so that wrong settings are found early.  Return
   RSP_ERROR_ARGUMENT for options, quality and bit rate, RSP_ERROR_UNSUPPORTED for a track. */
static rsp_status check(const rsp_factory *factory, const rsp_encoder_settings *settings, rsp_error *error) {
  const rsp_track *track = settings->track;
  (void)factory;
  if (strcmp(track->codec, "v308") != 0)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%s is requested; only v308 is encoded", track->codec);
  if (track->pixel_format != RSP_PIXEL_YUV444P || track->width < 1 || track->height < 1)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%ux%u pixels of the format %u; yuv444p is encoded", track->width,
                    track->height, track->pixel_format);
  return RSP_OK;
}

static rsp_status open_encoder(const rsp_factory *factory, const rsp_encoder_settings *settings, rsp_encoder **out,
                               rsp_error *error) {
  rsp_status status = check(factory, settings, error);
  if (status != RSP_OK) return status;
  rsp_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return rsp_no_memory(error);
  encoder->track = rsp_output_track(settings->track, "v308");
  *out = encoder;
  return RSP_OK;
}

static const rsp_track *track(rsp_encoder *encoder) { return &encoder->track; }

/* A codec that looks ahead keeps frames here, with a reference: rsp_retain_buffer(&frame->buffer).  If
   frame->flags has RSP_FRAME_MUST_BE_KEY, the packet is a key packet; here all are. */
static rsp_status send(rsp_encoder *encoder, const rsp_frame *frame, rsp_error *error) {
  if (!frame) { /* the end: flush what the codec holds back into the queue */
    encoder->is_drained = 1;
    return RSP_OK;
  }
  rsp_buffer buffer = rsp_new_buffer((size_t)frame->width * frame->height * 3);
  if (!buffer.owner) return rsp_no_memory(error);
  encode(frame, buffer.data);
  int64_t time = frame->pts == RSP_NO_TIME ? encoder->next : frame->pts;
  encoder->next = time + frame->duration;
  rsp_packet packet = rsp_new_packet(buffer, time, time, frame->duration, RSP_PACKET_KEY);
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
    .struct_size = sizeof encoding, .kind = RSP_KIND_VIDEO, .quality_direction = RSP_QUALITY_NONE, .check = check};

static const void *extension(const rsp_factory *factory, const char *id) {
  (void)factory;
  return strcmp(id, RSP_ENCODING) == 0 ? &encoding : NULL;
}

static const char *const codecs[] = {"v308", NULL};
static const uint32_t pixel_formats[] = {RSP_PIXEL_YUV444P, 0};
static const rsp_encoder_factory encoder = {
    .head = {.struct_size = sizeof encoder, .kind = RSP_FACTORY_ENCODER, .tier = RSP_TIER_STANDARD, .name = "template",
             .long_name = "v308 (Template)", .codecs = codecs, .pixel_formats = pixel_formats, .extension = extension},
    .open = open_encoder, .track = track, .send = send, .receive = receive, .close = close_encoder};

RSP_PLUGIN("Template", "1.0.0", "MIT", &encoder.head);
