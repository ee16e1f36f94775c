/* Encoder of H.264 (ITU-T H.264) that stores each macroblock uncompressed (I_PCM, 7.3.5).  Every frame is an IDR
   picture.  Decoders of H.264 read it. */
typedef struct {
  uint8_t *bytes;
  size_t count; /* bits */
} bit_writer;

static void put_bits(bit_writer *w, uint32_t value, int count) {
  for (int i = count - 1; i >= 0; i--, w->count++) {
    if (w->count % 8 == 0) w->bytes[w->count / 8] = 0;
    w->bytes[w->count / 8] |= (uint8_t)((value >> i & 1) << (7 - w->count % 8));
  }
}

/* ue(v), 9.1 */
static void put_golomb(bit_writer *w, uint32_t value) {
  int bits = 0;
  while ((value + 1) >> (bits + 1)) bits++;
  put_bits(w, 0, bits);
  put_bits(w, value + 1, bits + 1);
}

static void align(bit_writer *w) {
  while (w->count % 8) put_bits(w, 0, 1);
}

static void end_unit(bit_writer *w) {
  put_bits(w, 1, 1);
  align(w);
}

/* Appends a NAL unit, with emulation prevention bytes, after its length or a start code.  Returns its size. */
static size_t append_unit(uint8_t *to, const uint8_t *raw, size_t count, int length_size) {
  size_t size = 0;
  int zeros = 0;
  uint8_t *unit = to + length_size;
  for (size_t i = 0; i < count; i++) {
    if (zeros >= 2 && raw[i] <= 3) {
      unit[size++] = 3;
      zeros = 0;
    }
    unit[size++] = raw[i];
    zeros = raw[i] == 0 ? zeros + 1 : 0;
  }
  for (int i = 0; i < length_size; i++) to[i] = (uint8_t)(size >> (8 * (length_size - 1 - i)));
  if (HAS(avcc_annexb_packets) && length_size == 4) memcpy(to, "\0\0\0\1", 4);
  return size + (size_t)length_size;
}

/* vui_parameters, E.1.1 */
static void put_usability(bit_writer *w, const rsp_track *track) {
  rsp_color color = track->color;
  rsp_rational aspect = track->sample_aspect;
  int has_aspect = aspect.num > 0 && aspect.den > 0 && !HAS(aspect_missing);
  put_bits(w, (uint32_t)has_aspect, 1);
  if (has_aspect) {
    put_bits(w, 255, 8);
    put_bits(w, (uint32_t)aspect.num, 16);
    put_bits(w, (uint32_t)aspect.den, 16);
  }
  put_bits(w, 0, 1);
  int has_color = !HAS(color_missing);
  put_bits(w, (uint32_t)has_color, 1);
  if (has_color) {
    put_bits(w, 5, 3);
    put_bits(w, color.range == 2 && !HAS(range_constant), 1);
    put_bits(w, 1, 1);
    put_bits(w, HAS(primaries_wrong) ? 1 : color.primaries, 8);
    put_bits(w, HAS(transfer_wrong) ? 1 : color.transfer, 8);
    put_bits(w, HAS(matrix_wrong) ? 1 : color.matrix, 8);
  }
  put_bits(w, 0, 6); /* chroma location, timing, HRD (2), pic_struct, restriction */
}

static size_t sequence_set(uint8_t *to, const rsp_track *track, uint8_t level, int length_size) {
  uint8_t raw[64] = {0x67, 66, 0xC0, level};
  bit_writer w = {raw, 32};
  uint32_t width = track->width, height = track->height;
  uint32_t columns = (width + 15) / 16, rows = (height + 15) / 16;
  if (HAS(avcc_other_size)) columns++;
  put_golomb(&w, 0);           /* seq_parameter_set_id */
  put_golomb(&w, 0);           /* log2_max_frame_num_minus4 */
  put_golomb(&w, 2);           /* pic_order_cnt_type */
  put_golomb(&w, 0);           /* max_num_ref_frames */
  put_bits(&w, 0, 1);
  put_golomb(&w, columns - 1);
  put_golomb(&w, rows - 1);
  put_bits(&w, 3, 2);          /* frame_mbs_only_flag, direct_8x8_inference_flag */
  uint32_t right = (columns * 16 - width) / 2, bottom = (rows * 16 - height) / 2;
  put_bits(&w, 1, 1);
  put_golomb(&w, 0);
  put_golomb(&w, HAS(avcc_other_size) ? 0 : right);
  put_golomb(&w, 0);
  put_golomb(&w, bottom);
  put_bits(&w, 1, 1);
  put_usability(&w, track);
  end_unit(&w);
  return append_unit(to, raw, w.count / 8, length_size);
}

/* Stores the SEI messages for mastering display and light level (D.1), whose bodies are those of the boxes. */
static void store_messages(rsp_encoder *e, const rsp_track *input) {
  uint8_t *to = e->messages;
  to[0] = 6;
  size_t size = 1;
  for (uint32_t i = 0; i < input->side_data_count; i++) {
    const rsp_side_data *data = input->side_data[i];
    int is_display = data->type == RSP_SIDE_DATA_TYPE('m', 'd', 'c', 'v');
    int is_light = data->type == RSP_SIDE_DATA_TYPE('c', 'l', 'l', 'i');
    if ((!is_display && !is_light) || data->size != (is_display ? 24 : 4)) continue;
    if (is_display ? HAS(display_missing) : HAS(light_missing)) continue;
    to[size++] = is_display ? 137 : 144;
    to[size++] = (uint8_t)data->size;
    memcpy(to + size, data->data, data->size);
    if (is_light && HAS(light_wrong)) to[size + 1] ^= 1;
    size += data->size;
  }
  to[size] = 0x80;
  e->messages_size = size > 1 ? size + 1 : 0;
}

static size_t picture_set(uint8_t *to) {
  uint8_t raw[32] = {0x68};
  bit_writer w = {raw, 8};
  put_golomb(&w, 0);
  put_golomb(&w, 0);
  put_bits(&w, 0, 2);  /* CAVLC */
  put_golomb(&w, 0);
  put_golomb(&w, 0);
  put_golomb(&w, 0);
  put_bits(&w, 0, 3);
  put_golomb(&w, 0);   /* qp, qs and chroma offset: 0 */
  put_golomb(&w, 0);
  put_golomb(&w, 0);
  put_bits(&w, 0, 3);
  end_unit(&w);
  return append_unit(to, raw, w.count / 8, 2);
}

static rsp_status avc_open(const rsp_factory *factory UNUSED, const rsp_encoder_settings *settings, rsp_encoder **out,
                           rsp_error *error) {
  const rsp_track *input = settings->track;
  if (input->pixel_format != RSP_PIXEL_YUV420P) return fail(error, RSP_ERROR_UNSUPPORTED, "only yuv420p is encoded");
  if (input->width < 2 || input->height < 2 || input->width > 4096 || input->height > 2304 || input->width % 2 ||
      input->height % 2)
    return fail(error, RSP_ERROR_ARGUMENT, "the size must be even and at most 4096x2304");
  if (input->width < MINIMUM_WIDTH) return fail(error, RSP_ERROR_ARGUMENT, "the width is below the minimum");
  rsp_encoder *e = calloc(1, sizeof *e + 128);
  e->kind = RSP_KIND_VIDEO;
  e->planes = planes_of(RSP_PIXEL_YUV420P, input->width, input->height);
  begin_track(&e->track, RSP_KIND_VIDEO, "h264");
  e->track.time_base = input->time_base;
  e->track.width = input->width;
  e->track.height = input->height;
  e->track.pixel_format = input->pixel_format;
  e->track.frame_rate = input->frame_rate;
  e->track.base_frame_rate = input->base_frame_rate;
  e->track.color = input->color;
  e->track.sample_aspect = input->sample_aspect;
  store_messages(e, input);
  uint8_t *record = (uint8_t *)(e + 1);
  const uint8_t head[6] = {1, HAS(avcc_other_profile) ? 100 : 66, 0xC0, 40, HAS(avcc_length_size) ? 0xFD : 0xFF, 0xE1};
  memcpy(record, head, 6);
  size_t size = 6 + sequence_set(record + 6, &e->track, 40, 2);
  record[size++] = 1;
  size += picture_set(record + size);
  if (HAS(avcc_truncated)) size -= 3;
  if (!HAS(avcc_missing)) {
    e->track.extradata = record;
    e->track.extradata_size = size;
  }
  e->track.profile = 66;
  e->track.level = 40;
  *out = e;
  return RSP_OK;
}

static rsp_status avc_send(rsp_encoder *e, const rsp_frame *frame, rsp_error *error) {
  if (e->held_count > 0) return RSP_AGAIN;
  if (frame == NULL) {
    e->drained = 1;
    return RSP_OK;
  }
  if (frame->format != RSP_PIXEL_YUV420P || frame->width != e->track.width || frame->height != e->track.height)
    return fail(error, RSP_ERROR_ARGUMENT, "a frame has another size or format than the encoder was opened for");
  frame->buffer.retain(frame->buffer.owner);
  e->held[e->held_count++] = *frame;
  return RSP_OK;
}

/* Appends a block of samples; beyond the edge, the last one is repeated. */
static void put_block(bit_writer *w, const uint8_t *plane, uint32_t width, uint32_t height, uint32_t x, uint32_t y,
                      uint32_t size) {
  for (uint32_t row = y; row < y + size; row++) {
    for (uint32_t column = x; column < x + size; column++) {
      uint32_t r = row < height ? row : height - 1, c = column < width ? column : width - 1;
      w->bytes[w->count / 8] = plane[r * width + c];
      w->count += 8;
    }
  }
}

static rsp_status avc_receive(rsp_encoder *e, rsp_packet *packet, rsp_error *error UNUSED) {
  if (e->held_count == 0) return e->drained ? RSP_END : RSP_AGAIN;
  rsp_frame frame = e->held[--e->held_count];
  uint8_t *raw = malloc(e->planes.size);
  pack(&frame, &e->planes, raw);
  const uint8_t *plane[3] = {raw, raw + e->planes.width[0] * e->planes.height[0], NULL};
  plane[2] = plane[1] + e->planes.width[1] * e->planes.height[1];
  uint32_t columns = (e->track.width + 15) / 16, rows = (e->track.height + 15) / 16;
  bit_writer w = {malloc((size_t)columns * rows * 400 + 100), 0};
  put_bits(&w, 0x65, 8);
  put_golomb(&w, 0);
  put_golomb(&w, 7);
  put_golomb(&w, 0);
  put_bits(&w, 0, 4);                     /* frame_num */
  put_golomb(&w, (uint32_t)e->count & 1); /* idr_pic_id */
  put_bits(&w, 0, 2);
  put_golomb(&w, 0);
  for (uint32_t row = 0; row < rows; row++) {
    for (uint32_t column = 0; column < columns; column++) {
      put_golomb(&w, 25);
      align(&w);
      put_block(&w, plane[0], e->planes.width[0], e->planes.height[0], column * 16, row * 16, 16);
      for (int i = 1; i < 3; i++)
        put_block(&w, plane[i], e->planes.width[i], e->planes.height[i], column * 8, row * 8, 8);
    }
  }
  end_unit(&w);
  uint8_t *unit = malloc(w.count / 8 * 3 / 2 + 128);
  size_t size = 0;
  if (HAS(avcc_other_in_band) && e->count == 0) size = sequence_set(unit, &e->track, 41, 4);
  if (HAS(sets_in_packets)) size = sequence_set(unit, &e->track, 40, 4);
  if (e->messages_size > 0) size += append_unit(unit + size, e->messages, e->messages_size, 4);
  size += append_unit(unit + size, w.bytes, w.count / 8, 4);
  packet->buffer = new_buffer(size);
  memcpy(packet->buffer.data, unit, size);
  free(unit);
  free(w.bytes);
  free(raw);
  packet->pts = packet->dts = frame.pts;
  packet->duration = frame.duration;
  packet->flags = HAS(idr_without_key) && e->count % 2 ? 0 : RSP_PACKET_KEY;
  frame.buffer.release(frame.buffer.owner);
  e->count++;
  return RSP_OK;
}

static void avc_close(rsp_encoder *e) {
  for (int i = 0; i < e->held_count; i++) e->held[i].buffer.release(e->held[i].buffer.owner);
  free(e);
}

static const char *const avc_codecs[] = {"h264", NULL};
static const uint32_t avc_formats[] = {RSP_PIXEL_YUV420P, 0};

static const rsp_encoder_factory avc_encoder = {
    .head = {.struct_size = sizeof(rsp_encoder_factory), .kind = RSP_FACTORY_ENCODER, .tier = RSP_TIER_FALLBACK,
             .name = "faulty_avc", .long_name = "H.264 without compression", .codecs = avc_codecs,
             .pixel_formats = avc_formats},
    .open = avc_open, .track = encoder_track, .send = avc_send, .receive = avc_receive, .close = avc_close};
