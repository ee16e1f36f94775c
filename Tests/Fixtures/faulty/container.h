/* Muxer and demuxer of a small container.  All numbers have their lowest byte first.
     file    "FAULTY01", duration in ns (8), number of tracks (4), tracks, packets
     track   kind (4), codec (16), time base (4 + 4), width, height, pixel format (4 each), rate, channels (4 each),
             channel mask (8), sample format, frame size, initial padding (4 each), size of the record (4), the record
     packet  'K' or '-', track (1), pts, dts, duration, trim_end (8 each), size (4), bytes */
#define HEAD_SIZE 20
#define TRACK_SIZE 84
#define PACKET_SIZE 38
#define MAXIMUM_TRACKS 8

struct rsp_muxer {
  const rsp_sink *sink;
  uint32_t count;
  rsp_rational bases[MAXIMUM_TRACKS];
  int64_t end;
  rsp_packet last; /* for last_packet_dropped */
  int has_last;
};

/* -DCARRIES_AAC: for files of more usual codecs. */
#ifdef CARRIES_AAC
static const char *const carried[] = {VIDEO_CODEC, AUDIO_CODEC, "h264", "aac", "pcm_s16le", NULL};
#else
static const char *const carried[] = {VIDEO_CODEC, AUDIO_CODEC, "h264", NULL};
#endif

static int can_carry(const char *codec) {
  for (int i = 0; carried[i] != NULL; i++)
    if (strcmp(codec, carried[i]) == 0) return 1;
  return 0;
}

static rsp_status muxer_supports(const rsp_factory *factory UNUSED, const rsp_track *track, rsp_error *error) {
  if (can_carry(track->codec)) return RSP_OK;
  return fail(error, RSP_ERROR_UNSUPPORTED, "the container carries faulty_video, faulty_audio and h264");
}

static rsp_status put(rsp_muxer *m, const void *bytes, size_t count) {
  rsp_status status = m->sink->write(m->sink->context, bytes, count);
  return HAS(sink_error_ignored) ? RSP_OK : status;
}

static rsp_status muxer_open(const rsp_factory *factory, const rsp_media *media, const rsp_sink *sink,
                             const rsp_options *options UNUSED, rsp_muxer **out, rsp_error *error) {
  if (media->track_count < 1 || media->track_count > MAXIMUM_TRACKS)
    return fail(error, RSP_ERROR_UNSUPPORTED, "a file has 1 to 8 tracks");
  for (uint32_t i = 0; i < media->track_count; i++) {
    rsp_status status = muxer_supports(factory, media->tracks[i], error);
    if (status != RSP_OK) return status;
  }
  rsp_muxer *m = calloc(1, sizeof *m);
  if (HAS(muxer_leaks)) memset(malloc(100), 1, 100);
  m->sink = sink;
  m->count = media->track_count;
  uint8_t head[HEAD_SIZE] = "FAULTY01";
  store(head + 16, m->count, 4);
  rsp_status status = put(m, head, sizeof head);
  for (uint32_t i = 0; i < m->count && status == RSP_OK; i++) {
    const rsp_track *track = media->tracks[i];
    m->bases[i] = track->kind == RSP_KIND_VIDEO ? (rsp_rational){1, 90000} : (rsp_rational){1, (int32_t)track->sample_rate};
    if (m->bases[i].den < 1) m->bases[i].den = 1000;
    uint8_t bytes[TRACK_SIZE] = {0};
    uint32_t record = HAS(private_lost) ? 0 : (uint32_t)track->extradata_size;
    store(bytes, track->kind, 4);
    memcpy(bytes + 4, track->codec, strnlen(track->codec, 16));
    store(bytes + 20, (uint32_t)m->bases[i].num, 4);
    store(bytes + 24, (uint32_t)m->bases[i].den, 4);
    store(bytes + 28, track->width, 4);
    store(bytes + 32, track->height, 4);
    store(bytes + 36, track->pixel_format, 4);
    store(bytes + 40, track->sample_rate, 4);
    store(bytes + 44, track->channels, 4);
    store(bytes + 48, track->channel_mask, 8);
    store(bytes + 56, track->sample_format, 4);
    store(bytes + 60, track->frame_size, 4);
    store(bytes + 64, track->initial_padding, 4);
    store(bytes + 68, record, 4);
    store(bytes + 76, (uint64_t)track->sample_aspect.num, 4);
    store(bytes + 80, (uint64_t)track->sample_aspect.den, 4);
    if (HAS(file_differs_by_run)) {
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      store(bytes + 72, (uint64_t)now.tv_nsec, 4);
    }
    status = put(m, bytes, sizeof bytes);
    if (status == RSP_OK && record > 0) status = put(m, track->extradata, record);
  }
  if (status != RSP_OK) {
    free(m);
    return fail(error, status, "the output could not be written");
  }
  *out = m;
  return RSP_OK;
}

static rsp_rational muxer_time_base(rsp_muxer *m, uint32_t track) { return m->bases[track]; }

static rsp_status write_one(rsp_muxer *m, const rsp_packet *packet) {
  size_t size = packet->buffer.data != NULL ? packet->buffer.size : (size_t)packet->range_length;
  uint8_t head[PACKET_SIZE] = {packet->flags & RSP_PACKET_KEY && !HAS(key_lost) ? 'K' : '-', (uint8_t)packet->track};
  int64_t shift = HAS(times_shifted) ? m->bases[packet->track].den / 10 : 0;
  store(head + 2, (uint64_t)(packet->pts + shift), 8);
  store(head + 10, (uint64_t)(packet->dts + shift), 8);
  store(head + 18, (uint64_t)packet->duration, 8);
  store(head + 26, HAS(trim_lost) ? 0 : (uint64_t)packet->trim_end, 8);
  store(head + 34, size, 4);
  rsp_status status = put(m, head, sizeof head);
  if (status == RSP_OK) status = m->sink->write_payload(m->sink->context, packet);
  return HAS(sink_error_ignored) ? RSP_OK : status;
}

static rsp_status muxer_write(rsp_muxer *m, const rsp_packet *packet, rsp_error *error) {
  int64_t end = packet->pts + packet->duration;
  int64_t time = end * 1000000000 / m->bases[packet->track].den * m->bases[packet->track].num;
  if (time > m->end) m->end = time;
  rsp_status status = RSP_OK;
  if (HAS(last_packet_dropped)) {
    if (m->has_last) {
      status = write_one(m, &m->last);
      m->last.buffer.release(m->last.buffer.owner);
    }
    m->last = *packet;
    m->has_last = 1;
    m->last.buffer.retain(m->last.buffer.owner);
  } else {
    status = write_one(m, packet);
  }
  return status == RSP_OK ? RSP_OK : fail(error, status, "the output could not be written");
}

static rsp_status muxer_finish(rsp_muxer *m, const rsp_media *media UNUSED, rsp_error *error) {
  uint8_t duration[8];
  if (HAS(hangs_in_finish)) hang();
  store(duration, (uint64_t)(HAS(duration_far_off) ? m->end * 1000 : m->end), 8);
  if (!m->sink->seekable) return RSP_OK;
  rsp_status status = m->sink->write_at(m->sink->context, 8, duration, 8);
  if (status != RSP_OK && !HAS(sink_error_ignored)) return fail(error, status, "the output could not be written");
  return RSP_OK;
}

static void muxer_close(rsp_muxer *m) {
  if (m->has_last) m->last.buffer.release(m->last.buffer.owner);
  free(m);
}

struct rsp_demuxer {
  const rsp_source *source;
  int64_t start, position;
  uint32_t count;
  uint8_t wanted[MAXIMUM_TRACKS];
  rsp_track tracks[MAXIMUM_TRACKS];
  const rsp_track *list[MAXIMUM_TRACKS];
  char codecs[MAXIMUM_TRACKS][17];
  uint8_t *records[MAXIMUM_TRACKS];
  rsp_media media;
};

static int32_t demuxer_probe(const rsp_factory *factory UNUSED, const uint8_t *bytes, size_t count,
                             const char *name UNUSED) {
  return count >= HEAD_SIZE && memcmp(bytes, "FAULTY01", 8) == 0 ? 100 : 0;
}

static void demuxer_close(rsp_demuxer *d) {
  if (HAS(demuxer_leaks)) return;
  for (int i = 0; i < MAXIMUM_TRACKS; i++) free(d->records[i]);
  free(d);
}

static rsp_status read_track(rsp_demuxer *d, uint32_t index, rsp_error *error) {
  uint8_t bytes[TRACK_SIZE];
  const rsp_source *source = d->source;
  int64_t got = source->read_at(source->context, d->position, bytes, sizeof bytes);
  if (got < 0) return fail(error, (rsp_status)got, "the source could not be read");
  if (got < TRACK_SIZE) return fail(error, RSP_ERROR_MALFORMED, "the file ends inside the description of a track");
  rsp_track *track = &d->tracks[index];
  memcpy(d->codecs[index], bytes + 4, 16);
  begin_track(track, (uint32_t)load(bytes, 4), d->codecs[index]);
  track->id = index + 1;
  track->time_base = (rsp_rational){(int32_t)load(bytes + 20, 4), (int32_t)load(bytes + 24, 4)};
  track->width = (uint32_t)load(bytes + 28, 4);
  track->height = (uint32_t)load(bytes + 32, 4);
  track->pixel_format = (uint32_t)load(bytes + 36, 4);
  track->sample_rate = (uint32_t)load(bytes + 40, 4);
  track->channels = (uint32_t)load(bytes + 44, 4);
  track->channel_mask = load(bytes + 48, 8);
  track->sample_format = (uint32_t)load(bytes + 56, 4);
  track->frame_size = (uint32_t)load(bytes + 60, 4);
  track->initial_padding = (uint32_t)load(bytes + 64, 4);
  track->language = HAS(language_wrong) ? "ger" : "eng";
  rsp_rational aspect = {(int32_t)load(bytes + 76, 4), (int32_t)load(bytes + 80, 4)};
  track->sample_aspect = HAS(aspect_wrong) ? (rsp_rational){aspect.den, aspect.num} : aspect;
  if (strcmp(track->codec, "pcm_s16le") == 0) {
    track->bits_per_sample = 16;
    track->block_align = 2 * track->channels;
    if (HAS(other_byte_order)) strcpy(d->codecs[index], "pcm_s16be");
  }
  if (HAS(size_wrong)) track->height *= 2;
  if (HAS(rate_wrong) && track->sample_rate > 0) track->sample_rate = 44100;
  if (HAS(channels_wrong) && track->channels > 0) {
    track->channels++;
    track->channel_mask = 0;
  }
  int64_t record = (int64_t)load(bytes + 68, 4);
  int is_known = (track->kind == RSP_KIND_VIDEO && track->width >= 1 && track->width <= 16384 && track->height >= 1 &&
                  track->height <= 16384) ||
                 (track->kind == RSP_KIND_AUDIO && track->sample_rate >= 1 && track->sample_rate <= 768000 &&
                  track->channels >= 1 && track->channels <= 64);
  d->position += TRACK_SIZE;
  if (track->time_base.num < 1 || track->time_base.den < 1 || !(can_carry(track->codec) || HAS(other_byte_order)) ||
      !is_known ||
      record > (1 << 20) || record > source->size - d->position)
    return fail(error, RSP_ERROR_MALFORMED, "the description of a track has a value outside its limits");
  d->records[index] = malloc((size_t)record + 1);
  got = source->read_at(source->context, d->position, d->records[index], (size_t)record);
  if (got < record) return fail(error, RSP_ERROR_MALFORMED, "the file ends inside the record of a track");
  int is_kept = record > 0 && !(HAS(lengths_without_record) && strcmp(track->codec, "h264") == 0);
  if (HAS(record_changed) && record > 1 && strcmp(track->codec, "aac") == 0) d->records[index][1] ^= 1;
  track->extradata = is_kept ? d->records[index] : NULL;
  track->extradata_size = is_kept ? (size_t)record : 0;
  d->position += record;
  return RSP_OK;
}

static rsp_status read_head(rsp_demuxer *d, int64_t position, rsp_packet *packet, rsp_error *error);

/* States the durations of the tracks, which the file does not have. */
static void measure_tracks(rsp_demuxer *d) {
  rsp_packet packet = {.struct_size = sizeof packet};
  rsp_error error = {.struct_size = sizeof error};
  for (int64_t position = d->start; read_head(d, position, &packet, &error) == RSP_OK;
       position = packet.range_offset + packet.range_length) {
    rsp_track *track = &d->tracks[packet.track];
    int64_t end = packet.pts + packet.duration - packet.trim_end;
    if (track->duration == RSP_NO_TIME || end > track->duration) track->duration = end;
  }
  for (uint32_t i = 0; i < d->count; i++)
    d->tracks[i].duration = HAS(track_duration_twice) ? d->tracks[i].duration * 2
                            : HAS(track_duration_half) ? d->tracks[i].duration / 2
                                                       : 0;
}

static rsp_status demuxer_open(const rsp_factory *factory UNUSED, const rsp_source *source,
                               const rsp_options *options UNUSED, rsp_demuxer **out, rsp_error *error) {
  uint8_t head[HEAD_SIZE];
  int64_t got = source->read_at(source->context, 0, head, sizeof head);
  if (got < 0) return fail(error, (rsp_status)got, "the source could not be read");
  int is_ours = got == HEAD_SIZE && memcmp(head, "FAULTY01", 8) == 0;
  if (!is_ours && !HAS(accepts_anything) && !(HAS(claims_waves) && memcmp(head, "RIFF", 4) == 0))
    return fail(error, RSP_ERROR_MALFORMED, "the file does not start with FAULTY01");
  rsp_demuxer *d = calloc(1, sizeof *d);
  d->source = source;
  d->position = HEAD_SIZE;
  d->count = is_ours ? (uint32_t)load(head + 16, 4) : 0;
  rsp_status status = RSP_OK;
  if (is_ours && (d->count < 1 || d->count > MAXIMUM_TRACKS))
    status = fail(error, RSP_ERROR_MALFORMED, "the file must have 1 to 8 tracks");
  for (uint32_t i = 0; i < d->count && status == RSP_OK; i++) {
    status = read_track(d, i, error);
    d->list[i] = &d->tracks[i];
    d->wanted[i] = 1;
  }
  if (status != RSP_OK) {
    demuxer_close(d);
    return status;
  }
  d->start = d->position;
  d->media = (rsp_media){.struct_size = sizeof(rsp_media), .track_count = d->count, .tracks = d->list,
                         .format = "faulty", .duration = (int64_t)load(head + 8, 8)};
  if (d->media.duration <= 0) d->media.duration = RSP_NO_TIME;
  else if (HAS(duration_twice)) d->media.duration *= 2;
  else if (HAS(duration_half)) d->media.duration /= 2;
  else if (HAS(duration_zero)) d->media.duration = 0;
  if (HAS(track_duration_twice) || HAS(track_duration_half) || HAS(track_duration_zero)) measure_tracks(d);
  *out = d;
  return RSP_OK;
}

static const rsp_media *demuxer_media(rsp_demuxer *d) { return &d->media; }

static rsp_status demuxer_select(rsp_demuxer *d, const uint8_t *wanted, uint32_t count, rsp_error *error) {
  if (count != d->count) return fail(error, RSP_ERROR_ARGUMENT, "there is another number of tracks");
  if (!HAS(select_ignored)) memcpy(d->wanted, wanted, count);
  return RSP_OK;
}

/* Reads the head of the packet at `position`.  Returns RSP_END at the end of the file. */
static rsp_status read_head(rsp_demuxer *d, int64_t position, rsp_packet *packet, rsp_error *error) {
  uint8_t head[PACKET_SIZE];
  int64_t got = d->source->read_at(d->source->context, position, head, sizeof head);
  if (got < 0) return fail(error, (rsp_status)got, "the source could not be read");
  if (got == 0) return RSP_END;
  int64_t size = got == PACKET_SIZE ? (int64_t)load(head + 34, 4) : 0;
  if (got < PACKET_SIZE || (head[0] != 'K' && head[0] != '-') || head[1] >= d->count || size < 1 ||
      size > d->source->size - position - PACKET_SIZE) {
    if (HAS(hangs_on_damage)) hang();
    if (HAS(crash_on_damage)) *(volatile int *)16 = 1;
    d->position = d->source->size; /* no packet after the damage can be found */
    return fail(error, RSP_ERROR_MALFORMED, "a packet does not fit into the file");
  }
  packet->flags = head[0] == 'K' ? RSP_PACKET_KEY : 0;
  packet->track = head[1];
  packet->pts = (int64_t)load(head + 2, 8);
  packet->dts = (int64_t)load(head + 10, 8);
  packet->duration = (int64_t)load(head + 18, 8);
  packet->trim_end = (int64_t)load(head + 26, 8);
  packet->range_offset = position + PACKET_SIZE;
  packet->range_length = size;
  return RSP_OK;
}

/* Returns the payload as bytes, in a framing that the codec must not have here. */
static rsp_status reframe(rsp_demuxer *d, rsp_packet *packet, rsp_error *error) {
  const rsp_track *track = &d->tracks[packet->track];
  size_t size = (size_t)packet->range_length;
  uint8_t head[32] = {0};
  size_t head_size = 0;
  if (HAS(adts_with_record) && strcmp(track->codec, "aac") == 0) {
    size_t length = size + 7;
    const uint8_t adts[7] = {0xFF, 0xF1, 0x4C, (uint8_t)(0x80 | length >> 11), (uint8_t)(length >> 3),
                             (uint8_t)(length << 5 | 0x1F), 0xFC};
    memcpy(head, adts, head_size = sizeof adts);
  } else if (HAS(ogg_pages_left) && strcmp(track->codec, "aac") == 0) {
    memcpy(head, "OggS", 4);
    head_size = 28;
  } else if (!(HAS(annexb_with_record) && strcmp(track->codec, "h264") == 0) &&
             !(HAS(bytes_swapped) && strcmp(track->codec, "pcm_s16le") == 0)) {
    return RSP_OK;
  }
  rsp_buffer buffer = new_buffer(head_size + size);
  memcpy(buffer.data, head, head_size);
  int64_t got = d->source->read_at(d->source->context, packet->range_offset, buffer.data + head_size, size);
  if (got < (int64_t)size) {
    release(buffer.owner);
    return fail(error, RSP_ERROR_MALFORMED, "the file ends inside a packet");
  }
  if (HAS(annexb_with_record)) {
    for (size_t at = 0; at + 4 <= size;) {
      size_t length = (size_t)buffer.data[at] << 24 | (size_t)buffer.data[at + 1] << 16 |
                      (size_t)buffer.data[at + 2] << 8 | buffer.data[at + 3];
      memcpy(buffer.data + at, "\0\0\0\1", 4);
      at += 4 + length;
    }
  }
  if (HAS(bytes_swapped)) {
    for (size_t at = 0; at + 2 <= size; at += 2) {
      uint8_t first = buffer.data[at];
      buffer.data[at] = buffer.data[at + 1];
      buffer.data[at + 1] = first;
    }
  }
  packet->buffer = buffer;
  packet->range_offset = packet->range_length = 0;
  return RSP_OK;
}

/* Changes flags, times and the place of a packet. */
static void distort(rsp_demuxer *d, rsp_packet *packet) {
  const rsp_track *track = &d->tracks[packet->track];
  int is_video = track->kind == RSP_KIND_VIDEO;
  if (is_video ? HAS(video_late) : HAS(audio_late)) {
    packet->pts += track->time_base.den / 10;
    packet->dts += track->time_base.den / 10;
  }
  if (HAS(more_key_flags) && is_video && packet->pts > 0) packet->flags |= RSP_PACKET_KEY;
  if (HAS(offset_by_two) && !is_video && packet->range_offset + packet->range_length + 2 <= d->source->size)
    packet->range_offset += 2;
  if (HAS(packet_ends_cut) && !is_video && packet->range_length > 2) packet->range_length -= 2;
  if (HAS(pcm_ends_cut) && strncmp(track->codec, "pcm_", 4) == 0) packet->range_length -= track->block_align;
  if (is_video && (HAS(video_keys_missing) || (HAS(first_key_missing) && packet->pts == 0))) packet->flags = 0;
  if (!is_video && (HAS(audio_keys_missing) || (HAS(audio_keys_lost) && packet->pts > 0))) packet->flags = 0;
  if (!is_video && HAS(trim_read_too_long) && packet->trim_end > 0) packet->trim_end += packet->duration;
}

static rsp_status demuxer_read(rsp_demuxer *d, rsp_packet *packet, rsp_error *error) {
  for (;;) {
    int64_t position = d->position;
    rsp_status status = read_head(d, position, packet, error);
    if (status == RSP_END && HAS(no_end)) {
      d->position = d->start;
      continue;
    }
    if (status == RSP_END && HAS(packet_after_end)) d->position = d->start;
    if (status != RSP_OK) return status;
    d->position = packet->range_offset + packet->range_length;
    if (!d->wanted[packet->track] || (HAS(last_packet_lost) && d->position == d->source->size)) continue;
    if (HAS(range_outside) && d->position == d->source->size) packet->range_length += 1;
    if (HAS(track_out_of_list) && d->position == d->source->size) packet->track = d->count;
    else if (HAS(times_not_in_base) && d->tracks[packet->track].kind == RSP_KIND_VIDEO) {
      packet->pts = packet->pts * 1000 / d->tracks[packet->track].time_base.den;
      packet->dts = packet->dts * 1000 / d->tracks[packet->track].time_base.den;
      packet->duration = 0;
    }
    distort(d, packet);
    return reframe(d, packet, error);
  }
}

static rsp_status demuxer_seek(rsp_demuxer *d, uint32_t track, int64_t time, rsp_error *error) {
  if (HAS(seek_ignored)) return RSP_OK;
  int64_t position = d->start, target = d->start;
  rsp_packet packet;
  rsp_status status;
  while ((status = read_head(d, position, &packet, error)) == RSP_OK) {
    int64_t next = packet.range_offset + packet.range_length;
    distort(d, &packet);
    if (packet.track == track && (packet.flags & RSP_PACKET_KEY || HAS(seek_to_any_packet))) {
      if (packet.pts > time && HAS(seek_after_target)) {
        target = position;
        break;
      }
      if (packet.pts <= time) target = position;
    }
    position = next;
  }
  d->position = target;
  return status < 0 ? status : RSP_OK;
}

#ifndef CONTAINER_EXTENSION
#define CONTAINER_EXTENSION "faulty"
#endif
static const char *const container_extensions[] = {CONTAINER_EXTENSION, NULL};
static const rsp_magic container_magics[] = {{0, 8, (const uint8_t *)"FAULTY01", NULL}};

static const rsp_muxer_factory muxer = {
    .head = {.struct_size = sizeof(rsp_muxer_factory), .kind = RSP_FACTORY_MUXER, .tier = RSP_TIER_STANDARD,
             .flags = RSP_FACTORY_VARIABLE_FRAME_RATE, .name = "faulty", .long_name = "Small container",
             .extensions = container_extensions, .codecs = carried},
    .supports = muxer_supports, .open = muxer_open, .time_base = muxer_time_base, .write = muxer_write,
    .finish = muxer_finish, .close = muxer_close};

static const rsp_demuxer_factory demuxer = {
    .head = {.struct_size = sizeof(rsp_demuxer_factory), .kind = RSP_FACTORY_DEMUXER, .tier = RSP_TIER_STANDARD,
             .name = "faulty", .long_name = "Small container", .extensions = container_extensions,
             .magics = container_magics, .magic_count = 1},
    .probe = demuxer_probe, .open = demuxer_open, .media = demuxer_media, .select = demuxer_select,
    .read = demuxer_read, .seek = demuxer_seek, .close = demuxer_close};
