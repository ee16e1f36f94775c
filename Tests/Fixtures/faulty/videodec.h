/* Decoder of video.h.  One frame is held back, so that draining matters. */
struct rsp_decoder {
  int kind;
  uint32_t format, width, height;
  planes planes;
  uint8_t *before;
  int has_before;
  rsp_frame held[8];
  rsp_packet packets[8]; /* for packet_not_retained */
  int held_count, drained, used;
  int64_t shifted;
  rsp_buffer last;
  /* audio */
  uint32_t rate, channels;
  uint64_t mask;
};

static uint8_t *shared_decoded; /* for decoder_global_state */

static rsp_status video_decoder_open(const rsp_factory *factory UNUSED, const rsp_decoder_settings *settings,
                                     rsp_decoder **out, rsp_error *error) {
  const rsp_track *track = settings->track;
  if (strcmp(track->codec, VIDEO_CODEC) != 0) return fail(error, RSP_ERROR_UNSUPPORTED, "only faulty_video is decoded");
  if (track->extradata_size != 16 || memcmp(track->extradata, "FVID", 4) != 0)
    return fail(error, RSP_ERROR_MALFORMED, "the configuration record is missing");
  uint32_t width = (uint32_t)load(track->extradata + 4, 4), height = (uint32_t)load(track->extradata + 8, 4);
  if (width < 1 || height < 1 || width > 16384 || height > 16384)
    return fail(error, RSP_ERROR_MALFORMED, "the size must be 1 to 16384 in both directions");
  rsp_decoder *d = calloc(1, sizeof *d);
  d->kind = RSP_KIND_VIDEO;
  d->width = width;
  d->height = height;
  d->format = (uint32_t)load(track->extradata + 12, 4);
  d->planes = planes_of(d->format, width, height);
  d->before = calloc(1, d->planes.size);
  if (shared_decoded == NULL && HAS(decoder_global_state)) shared_decoded = calloc(1, 1 << 20);
  *out = d;
  return RSP_OK;
}

static rsp_status decode_video(rsp_decoder *d, const rsp_packet *packet, rsp_frame *frame, rsp_error *error) {
  const uint8_t *bytes = packet->buffer.data;
  if (packet->buffer.size != 4 + d->planes.size || (bytes[0] != 'I' && bytes[0] != 'P'))
    return fail(error, RSP_ERROR_MALFORMED, "a packet has another size than a frame");
  int is_key = bytes[0] == 'I';
  if (!is_key && !d->has_before) return fail(error, RSP_ERROR_MALFORMED, "there is no key frame before");
  if (HAS(reads_past_packet)) { volatile uint8_t next = bytes[packet->buffer.size]; (void)next; }
  uint8_t *before = HAS(decoder_global_state) ? shared_decoded : d->before;
  rsp_buffer buffer = HAS(frames_reused) && d->last.owner != NULL ? d->last : new_buffer(d->planes.size);
  for (size_t i = 0; i < d->planes.size; i++) {
    buffer.data[i] = is_key ? bytes[4 + i] : (uint8_t)(bytes[4 + i] + before[i]);
    before[i] = buffer.data[i];
  }
  if (HAS(frames_reused)) { retain(buffer.owner); d->last = buffer; }
  d->has_before = 1;
  memset(frame, 0, sizeof *frame);
  frame->kind = RSP_KIND_VIDEO;
  frame->pts = packet->pts;
  if (HAS(decoder_times_shifted)) {
    frame->pts = d->used ? d->shifted : packet->pts;
    d->shifted = packet->pts;
  }
  d->used = 1;
  frame->duration = packet->duration;
  frame->flags = is_key ? RSP_FRAME_KEY : 0;
  frame->format = d->format;
  frame->width = d->width;
  frame->height = HAS(wrong_size) ? d->height - 1 : d->height;
  frame->plane_count = 3;
  uint8_t *next = buffer.data;
  for (int i = 0; i < 3; i++) {
    int plane = HAS(decoder_planes_swapped) && i > 0 ? 3 - i : i;
    frame->plane[plane] = next;
    frame->stride[plane] = d->planes.width[i];
    next += (size_t)d->planes.width[i] * d->planes.height[i];
  }
  frame->buffer = buffer;
  if (HAS(frames_freed_on_close)) d->last = buffer;
  if (HAS(decoder_leaks_frame)) retain(buffer.owner);
  return RSP_OK;
}

static rsp_status video_decoder_send(rsp_decoder *d, const rsp_packet *packet, rsp_error *error) {
  if (d->held_count >= 4) return RSP_AGAIN;
  if (packet == NULL) {
    d->drained = 1;
    return RSP_OK;
  }
  if (HAS(not_usable_after_flush) && d->drained) return fail(error, RSP_ERROR_PLUGIN, "the decoder has ended");
  if (HAS(packet_not_retained)) {
    d->packets[d->held_count++] = *packet;
    return RSP_OK;
  }
  if (HAS(decoder_leaks_packet)) packet->buffer.retain(packet->buffer.owner);
  rsp_status status = decode_video(d, packet, &d->held[d->held_count], error);
  if (status == RSP_OK) d->held_count++;
  return status;
}

static rsp_status video_decoder_receive(rsp_decoder *d, rsp_frame *frame, rsp_error *error) {
  uint32_t size = frame->struct_size;
  if (d->held_count < 2 && !d->drained) return RSP_AGAIN;
  if (HAS(decoder_drain_loses) && d->drained) {
    for (int i = 0; i < d->held_count; i++) release(d->held[i].buffer.owner);
    d->held_count = 0;
  }
  if (d->held_count == 0) return RSP_END;
  rsp_status status = RSP_OK;
  if (HAS(packet_not_retained)) status = decode_video(d, &d->packets[0], frame, error);
  else *frame = d->held[0];
  frame->struct_size = size;
  d->held_count--;
  memmove(d->held, d->held + 1, (size_t)d->held_count * sizeof *frame);
  memmove(d->packets, d->packets + 1, (size_t)d->held_count * sizeof *d->packets);
  return status;
}

static void video_decoder_flush(rsp_decoder *d) {
  if (HAS(flush_ignored)) {
    d->drained = 0;
    return;
  }
  if (!HAS(packet_not_retained))
    for (int i = 0; i < d->held_count; i++) release(d->held[i].buffer.owner);
  d->held_count = d->has_before = 0;
  if (!HAS(not_usable_after_flush)) d->drained = 0;
}

static void video_decoder_close(rsp_decoder *d) {
  if (!HAS(packet_not_retained))
    for (int i = 0; i < d->held_count; i++) release(d->held[i].buffer.owner);
  if (HAS(frames_freed_on_close) && d->last.data != NULL) {
    block *b = d->last.owner;
    free(b->bytes);
    b->bytes = NULL;
  }
  if (HAS(frames_reused) && d->last.owner != NULL) release(d->last.owner);
  free(d->before);
  free(d);
}

static const rsp_decoder_factory video_decoder = {
    .head = {.struct_size = sizeof(rsp_decoder_factory), .kind = RSP_FACTORY_DECODER, .tier = RSP_TIER_STANDARD,
             .name = "faulty_video", .long_name = "Raw video with differences", .codecs = video_codecs},
    .open = video_decoder_open, .send = video_decoder_send, .receive = video_decoder_receive,
    .flush = video_decoder_flush, .close = video_decoder_close};
