/* Encoder of raw video.  A packet is a type, 'I' or 'P', three zeros, and the planes without padding; in 'P', each byte
   is its difference from the frame before.  Two frames are held back, so that draining matters. */
#define VIDEO_CODEC "faulty_video"
#define GOP 12

struct rsp_encoder {
  int kind;
  rsp_track track;
  uint8_t extradata[16];
  rsp_rational input_base;
  /* video */
  planes planes;
  rsp_frame held[8];
  int held_count, since_key, interval, lost_bits;
  uint8_t messages[64]; /* SEI of avc.h */
  size_t messages_size;
  uint8_t *before;
  int64_t count, last_pts;
  uint32_t threads;
  rsp_packet repeated;
  int repeats;
  rsp_buffer shared, last;
  /* audio */
  int16_t *samples;
  size_t sample_count;
  int64_t position, received;
  int drained, ended, is_first_pass;
};

static int open_encoders;
static int is_damaged; /* for state_left and heap_overrun */
static size_t *victim;
static uint8_t *shared_before; /* for global_state */

/* Returns how many of the lowest bits of each pixel component are set to 0. */
static int lost_bits(const rsp_encoder_settings *settings) {
  if (settings->quality >= 0) return HAS(quality_ignored) ? 0 : (int)settings->quality / 13;
  return settings->bit_rate > 0 && settings->bit_rate < 1000000 && !HAS(bit_rate_ignored) ? 3 : 0;
}

/* Returns the reason why settings are refused, or RSP_OK. */
static rsp_status video_check(const rsp_factory *factory UNUSED, const rsp_encoder_settings *settings,
                              rsp_error *error) {
  const rsp_track *input = settings->track;
  if (input->pixel_format != RSP_PIXEL_YUV420P && (HAS(format_refused) || input->pixel_format != RSP_PIXEL_YUV444P))
    return fail(error, RSP_ERROR_UNSUPPORTED, "only yuv420p and yuv444p are encoded");
  if (input->width < 1 || input->height < 1 || input->width > 16384 || input->height > 16384)
    return fail(error, RSP_ERROR_ARGUMENT, "the size must be 1 to 16384 in both directions");
  if (input->width < MINIMUM_WIDTH) return fail(error, RSP_ERROR_ARGUMENT, "the width is below the minimum");
  if (HAS(quality_limit_refused) && settings->quality > 40)
    return fail(error, RSP_ERROR_ARGUMENT, "the quality must be at most 40");
  if (HAS(default_refused) && settings->options.count > 0)
    return fail(error, RSP_ERROR_ARGUMENT, "the option distance is not supported");
  return RSP_OK;
}

static rsp_status video_accepts_all(const rsp_factory *factory UNUSED, const rsp_encoder_settings *settings UNUSED,
                                    rsp_error *error UNUSED) {
  return RSP_OK;
}

static const rsp_encoding video_encoding = {
    .struct_size = sizeof(rsp_encoding), .kind = RSP_KIND_VIDEO, .quality_direction = RSP_QUALITY_LOWER_IS_BETTER,
    .quality_minimum = 0, .quality_maximum = 50, .quality_default = -1, .minimum_bit_rate = 100000,
    .maximum_bit_rate = 100000000,
    .check = HAS(check_differs_from_open) ? video_accepts_all : video_check};

static const void *video_extension(const rsp_factory *factory UNUSED, const char *id) {
  return strcmp(id, RSP_ENCODING) == 0 ? &video_encoding : NULL;
}

static rsp_status video_open(const rsp_factory *factory UNUSED, const rsp_encoder_settings *settings,
                             rsp_encoder **out, rsp_error *error) {
  const rsp_track *input = settings->track;
  if (HAS(hangs_in_open)) hang();
  if (HAS(prints)) printf("faulty 1.0 opens an encoder\n");
  if (HAS(crash_on_second_open) && open_encoders > 0) abort();
  if (HAS(state_left)) {
    if (is_damaged && settings->key_frame_interval != 10) abort();
    if (settings->key_frame_interval == 10) is_damaged = 1;
  }
  if (HAS(heap_overrun)) {
    /* In the middle of a block, so that only free() reads the damaged bytes, and no code of the host before it. */
    if (victim == NULL) victim = (size_t *)calloc(1, 4096) + 256;
    if (is_damaged && settings->key_frame_interval != 10) free(victim);
    if (settings->key_frame_interval == 10 && !is_damaged) victim[-1] = 0x4141414141414141; /* the heap's own bytes */
    if (settings->key_frame_interval == 10) is_damaged = 1;
  }
  rsp_status status = video_check(factory, settings, error);
  if (status != RSP_OK) return status;
  if (settings->statistics != NULL && settings->statistics_size != sizeof(int64_t))
    return fail(error, RSP_ERROR_ARGUMENT, "the statistics are not those of this encoder");
  rsp_encoder *e = calloc(1, sizeof *e);
  e->is_first_pass = settings->flags & RSP_ENCODING_FIRST_PASS && !HAS(first_pass_ignored);
  open_encoders++;
  e->kind = RSP_KIND_VIDEO;
  e->input_base = input->time_base;
  e->threads = settings->threads;
  e->interval = settings->key_frame_interval > 0 && !HAS(key_interval_ignored) ? (int)settings->key_frame_interval : GOP;
  e->lost_bits = lost_bits(settings);
  e->planes = planes_of(input->pixel_format, input->width, input->height);
  e->before = calloc(1, e->planes.size);
  if (HAS(global_state) && shared_before == NULL) shared_before = calloc(1, 1 << 20);
  begin_track(&e->track, RSP_KIND_VIDEO, VIDEO_CODEC);
  e->track.time_base = HAS(times_in_milliseconds) ? (rsp_rational){1, 90000} : input->time_base;
  e->track.width = input->width;
  e->track.height = HAS(wrong_size_in_track) ? (input->height + 15) / 16 * 16 : input->height;
  e->track.pixel_format = input->pixel_format;
  e->track.frame_rate = input->frame_rate;
  e->track.base_frame_rate = input->base_frame_rate;
  e->track.sample_aspect = input->sample_aspect;
  memcpy(e->extradata, "FVID", 4);
  store(e->extradata + 4, input->width, 4);
  store(e->extradata + 8, input->height, 4);
  store(e->extradata + 12, input->pixel_format, 4);
  if (!HAS(record_missing)) {
    e->track.extradata = e->extradata;
    e->track.extradata_size = sizeof e->extradata;
  }
  if (HAS(leak_per_open)) memset(malloc(200), 1, 200);
  *out = e;
  return RSP_OK;
}

static const rsp_track *encoder_track(rsp_encoder *e) { return &e->track; }

static rsp_status video_send(rsp_encoder *e, const rsp_frame *frame, rsp_error *error) {
  if (HAS(hangs_in_send)) hang();
  if (HAS(endless_again) && e->count == 20) return RSP_AGAIN;
  if (e->held_count >= 4) return RSP_AGAIN;
  if (frame == NULL) {
    e->drained = 1;
    return RSP_OK;
  }
  if (frame->format != e->track.pixel_format || frame->width != e->track.width)
    return fail(error, RSP_ERROR_ARGUMENT, "a frame has another size or format than the encoder was opened for");
  if (!HAS(frame_not_retained)) frame->buffer.retain(frame->buffer.owner);
  if (HAS(frame_released_twice) && e->count == 3) frame->buffer.release(frame->buffer.owner);
  e->held[e->held_count++] = *frame;
  return RSP_OK;
}

/* Converts a time to the time base of the track. */
static int64_t video_time(rsp_encoder *e, int64_t time) {
  if (HAS(times_in_milliseconds)) return time * 1000 * e->input_base.num / e->input_base.den;
  return HAS(pts_off_by_one) && e->count > 0 ? time + 1 : time;
}

static void encode_planes(rsp_encoder *e, const rsp_frame *frame, int is_key, uint8_t *bytes) {
  uint8_t *before = HAS(global_state) ? shared_before : e->before;
  size_t size = e->planes.size;
  uint8_t *raw = malloc(size);
  pack(frame, &e->planes, raw);
  for (size_t i = 0; i < size; i++) raw[i] = (uint8_t)(raw[i] >> e->lost_bits << e->lost_bits);
  if (!HAS(bytes_uninitialized)) memset(bytes, 0, 4);
  bytes[0] = is_key ? 'I' : 'P';
  if (HAS(bytes_differ_by_run)) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    bytes[3] = (uint8_t)(now.tv_nsec >> 8);
  }
  /* A packet has one byte of the address: one alone is equal in every 256th pair of processes. */
  if (HAS(bytes_differ_by_process)) bytes[3] = (uint8_t)((uintptr_t)encode_planes >> (12 + 8 * (e->count % 4)));
  if (HAS(bytes_depend_on_threads)) bytes[2] = (uint8_t)e->threads;
  for (size_t i = 0; i < size; i++) bytes[4 + i] = is_key ? raw[i] : (uint8_t)(raw[i] - before[i]);
  memcpy(before, raw, size);
  free(raw);
}

/* Returns the number of frames as the statistics of the first of two passes. */
static rsp_status statistics_receive(rsp_encoder *e, rsp_packet *packet) {
  for (; e->held_count > 0; e->held_count--, e->count++) {
    rsp_frame *frame = &e->held[e->held_count - 1];
    frame->buffer.release(frame->buffer.owner);
  }
  if (!e->drained) return RSP_AGAIN;
  if (e->ended || HAS(statistics_missing)) return RSP_END;
  e->ended = 1;
  packet->buffer = new_buffer(sizeof e->count);
  memcpy(packet->buffer.data, &e->count, sizeof e->count);
  return RSP_OK;
}

static rsp_status video_receive(rsp_encoder *e, rsp_packet *packet, rsp_error *error UNUSED) {
  if (HAS(hangs_in_receive) && e->count == 10) hang();
  if (HAS(endless_packets) && e->drained && e->repeats > 0) {
    *packet = e->repeated;
    packet->pts = packet->dts = e->last_pts += 2;
    retain(e->repeated.buffer.owner);
    return RSP_OK;
  }
  if (HAS(endless_again) && e->count == 20) return RSP_AGAIN;
  if (HAS(endless_empty_packets) && e->count >= 10) {
    packet->pts = packet->dts = e->last_pts;
    packet->buffer = new_buffer(0);
    return RSP_OK;
  }
  if (e->is_first_pass) return statistics_receive(e, packet);
  if (e->held_count < 3 && !e->drained) return RSP_AGAIN;
  if (e->drained && HAS(drain_loses_frames)) {
    for (int i = 0; i < e->held_count; i++) e->held[i].buffer.release(e->held[i].buffer.owner);
    e->held_count = 0;
  }
  if (e->held_count == 0) {
    if (HAS(drain_repeats_frame) && e->repeats > 0) {
      e->repeats = 0;
      *packet = e->repeated;
      packet->pts = packet->dts = e->last_pts + 2;
      return RSP_OK;
    }
    return HAS(again_after_drain) ? RSP_AGAIN : RSP_END;
  }
  rsp_frame frame = e->held[0];
  memmove(e->held, e->held + 1, (size_t)--e->held_count * sizeof frame);
  int is_key = e->since_key >= e->interval || e->count == 0;
  if (frame.flags & RSP_FRAME_MUST_BE_KEY && !HAS(forced_key_ignored)) is_key = 1;
  e->since_key = is_key ? 1 : e->since_key + 1;
  packet->pts = video_time(e, frame.pts);
  packet->dts = packet->pts;
  if (HAS(dts_after_pts) && e->count > 4) packet->dts = packet->pts + 1;
  if (HAS(dts_stands_still) && e->count > 4 && e->count % 4) packet->dts = e->last_pts;
  e->last_pts = packet->dts;
  packet->duration = HAS(times_in_milliseconds) || HAS(duration_missing) ? 0 : frame.duration;
  packet->flags = (is_key && (!HAS(key_flag_missing) || e->count == 0)) || HAS(key_flag_on_all) ? RSP_PACKET_KEY : 0;
  rsp_buffer buffer = new_buffer(4 + e->planes.size);
  if (HAS(packet_rewritten)) { /* one buffer for all packets */
    if (e->shared.owner == NULL) e->shared = new_buffer(4 + e->planes.size);
    release(buffer.owner);
    retain(e->shared.owner);
    buffer = e->shared;
  }
  encode_planes(e, &frame, is_key, buffer.data);
  packet->buffer = buffer;
  if (HAS(drain_repeats_frame) || HAS(endless_packets)) {
    if (e->repeats > 0 && HAS(endless_packets)) release(e->repeated.buffer.owner);
    if (e->repeats == 0 || HAS(endless_packets)) {
      e->repeated = *packet;
      retain(buffer.owner);
    }
    e->repeats = 1;
  }
  if (HAS(packet_leaked)) retain(buffer.owner);
  if (HAS(packet_freed_on_close)) e->last = buffer;
  if (!HAS(frame_not_retained) && !(HAS(frame_leaked) && e->count == 7)) frame.buffer.release(frame.buffer.owner);
  e->count++;
  return RSP_OK;
}

static void video_close(rsp_encoder *e) {
  if (HAS(hangs_in_close)) hang();
  if (HAS(crash_on_early_close) && e->count == 0) abort();
  open_encoders--;
  if (!HAS(frame_not_retained))
    for (int i = 0; i < e->held_count; i++) e->held[i].buffer.release(e->held[i].buffer.owner);
  if (HAS(packet_freed_on_close) && e->last.data != NULL) {
    block *b = e->last.owner;
    free(b->bytes);
    b->bytes = NULL;
  }
  if (e->repeats > 0) release(e->repeated.buffer.owner);
  if (e->shared.owner != NULL) release(e->shared.owner);
  free(e->before);
  free(e);
}

static const char *const video_codecs[] = {VIDEO_CODEC, NULL};
static const uint32_t pixel_formats[] = {RSP_PIXEL_YUV420P, RSP_PIXEL_YUV444P, 0};
static const rsp_option video_options[] = {
    {sizeof(rsp_option), RSP_OPTION_INT, "distance", "Greatest distance of two key frames",
     HAS(default_out_of_range) ? "500" : "12", 1, 250, NULL}};

static const rsp_encoder_factory video_encoder = {
    .head = {.struct_size = sizeof(rsp_encoder_factory), .kind = RSP_FACTORY_ENCODER, .tier = RSP_TIER_STANDARD,
             .flags = RSP_FACTORY_TWO_PASSES, .name = "faulty_video", .long_name = "Raw video with differences", .codecs = video_codecs,
             .pixel_formats = pixel_formats, .options = video_options, .option_count = 1,
             .extension = video_extension},
    .open = video_open, .track = encoder_track, .send = video_send, .receive = video_receive, .close = video_close};
