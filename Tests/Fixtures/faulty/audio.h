/* Encoder and decoder of PCM in packets of 480 audio samples, with an encoder delay of 120. */
#ifndef AUDIO_CODEC
#define AUDIO_CODEC "faulty_audio"
#endif
#define AUDIO_FRAME 480
#define AUDIO_DELAY 120

static rsp_status audio_open(const rsp_factory *factory UNUSED, const rsp_encoder_settings *settings,
                             rsp_encoder **out, rsp_error *error) {
  const rsp_track *input = settings->track;
  if (input->channels < 1 || input->channels > 8)
    return fail(error, RSP_ERROR_ARGUMENT, "audio must have 1 to 8 channels");
  if (input->sample_rate < 1000 || input->sample_rate > 192000)
    return fail(error, RSP_ERROR_ARGUMENT, "the sample rate must be 1000 to 192000 Hz");
  if (input->sample_format != RSP_SAMPLE_S16 && input->sample_format != RSP_SAMPLE_S16P)
    return fail(error, RSP_ERROR_UNSUPPORTED, "only s16 and s16p are encoded");
  rsp_encoder *e = calloc(1, sizeof *e);
  e->kind = RSP_KIND_AUDIO;
  begin_track(&e->track, RSP_KIND_AUDIO, AUDIO_CODEC);
  e->track.time_base = (rsp_rational){1, (int32_t)input->sample_rate};
  e->track.sample_rate = input->sample_rate;
  e->track.channels = input->channels;
  e->track.channel_mask = input->channel_mask;
  e->track.sample_format = input->sample_format;
  e->track.bits_per_sample = 16;
  e->track.frame_size = HAS(frame_size_missing) ? 0 : AUDIO_FRAME;
  e->track.initial_padding = HAS(padding_wrong) ? AUDIO_DELAY + 1 : HAS(padding_not_stated) ? 0 : AUDIO_DELAY;
  if (HAS(record_not_needed)) {
    e->track.extradata = e->extradata;
    e->track.extradata_size = sizeof e->extradata;
  }
  e->samples = calloc(AUDIO_DELAY * input->channels, 2);
  e->sample_count = AUDIO_DELAY;
  e->position = HAS(audio_times_from_zero) ? 0 : -(int64_t)e->track.initial_padding;
  *out = e;
  return RSP_OK;
}

static rsp_status audio_send(rsp_encoder *e, const rsp_frame *frame, rsp_error *error) {
  uint32_t channels = e->track.channels;
  if (e->sample_count >= 4 * AUDIO_FRAME) return RSP_AGAIN;
  if (frame == NULL) {
    e->drained = 1;
    return RSP_OK;
  }
  if (frame->format != e->track.sample_format || frame->channels != channels)
    return fail(error, RSP_ERROR_ARGUMENT, "a frame has another format than the encoder was opened for");
  if (HAS(not_variable) && frame->sample_count > AUDIO_FRAME)
    return fail(error, RSP_ERROR_ARGUMENT, "a frame must have 480 audio samples");
  if (HAS(short_frame_dropped) && frame->sample_count < AUDIO_FRAME) return RSP_OK;
  e->samples = realloc(e->samples, (e->sample_count + frame->sample_count) * channels * 2);
  int16_t *to = e->samples + e->sample_count * channels;
  for (uint32_t i = 0; i < frame->sample_count; i++) {
    for (uint32_t c = 0; c < channels; c++) {
      uint32_t from = HAS(channels_swapped) && c < 2 && channels > 1 ? 1 - c : c;
      int16_t value = frame->format == RSP_SAMPLE_S16 || HAS(planar_as_interleaved)
                          ? ((const int16_t *)frame->plane[0])[i * channels + from]
                          : ((const int16_t *)frame->plane[from])[i];
      to[i * channels + c] = HAS(audio_too_loud) ? (int16_t)(value * 2) : value;
    }
  }
  e->sample_count += frame->sample_count;
  return RSP_OK;
}

static rsp_status audio_receive(rsp_encoder *e, rsp_packet *packet, rsp_error *error UNUSED) {
  uint32_t channels = e->track.channels;
  size_t whole = AUDIO_FRAME;
  if (e->sample_count < whole && !e->drained) return RSP_AGAIN;
  if (e->sample_count == 0) return RSP_END;
  size_t count = e->sample_count < whole ? e->sample_count : whole;
  packet->buffer = new_buffer(whole * channels * 2);
  memset(packet->buffer.data, 0, packet->buffer.size);
  memcpy(packet->buffer.data, e->samples, count * channels * 2);
  e->sample_count -= count;
  memmove(e->samples, e->samples + count * channels, e->sample_count * channels * 2);
  packet->pts = packet->dts = e->position;
  packet->duration = AUDIO_FRAME;
  packet->flags = HAS(audio_key_missing) ? 0 : RSP_PACKET_KEY;
  packet->trim_end = HAS(trim_end_missing) ? 0 : (int64_t)(whole - count);
  if (HAS(trim_too_long) && whole > count) packet->trim_end += AUDIO_FRAME;
  e->position += AUDIO_FRAME;
  return RSP_OK;
}

static void audio_close(rsp_encoder *e) {
  free(e->samples);
  free(e);
}

static rsp_status audio_decoder_open(const rsp_factory *factory UNUSED, const rsp_decoder_settings *settings,
                                     rsp_decoder **out, rsp_error *error) {
  const rsp_track *track = settings->track;
  if (strcmp(track->codec, AUDIO_CODEC) != 0) return fail(error, RSP_ERROR_UNSUPPORTED, "only faulty_audio is decoded");
  if (track->channels < 1 || track->channels > 8 || track->sample_rate < 1000 || track->sample_rate > 192000)
    return fail(error, RSP_ERROR_ARGUMENT, "1 to 8 channels and 1000 to 192000 Hz are decoded");
  rsp_decoder *d = calloc(1, sizeof *d);
  d->kind = RSP_KIND_AUDIO;
  d->rate = track->sample_rate;
  d->channels = track->channels;
  d->mask = track->channel_mask;
  *out = d;
  return RSP_OK;
}

static rsp_status audio_decoder_send(rsp_decoder *d, const rsp_packet *packet, rsp_error *error) {
  if (d->held_count > 0) return RSP_AGAIN;
  if (packet == NULL) {
    d->drained = 1;
    return RSP_OK;
  }
  if (packet->buffer.size == 0 || packet->buffer.size % (2 * d->channels) != 0)
    return fail(error, RSP_ERROR_MALFORMED, "a packet does not contain whole audio samples");
  rsp_frame *frame = &d->held[0];
  memset(frame, 0, sizeof *frame);
  frame->kind = RSP_KIND_AUDIO;
  frame->pts = packet->pts;
  frame->format = RSP_SAMPLE_S16;
  frame->sample_rate = d->rate;
  frame->channels = d->channels;
  frame->channel_mask = d->mask;
  frame->sample_count = (uint32_t)(packet->buffer.size / (2 * d->channels));
  frame->duration = frame->sample_count;
  frame->buffer = new_buffer(packet->buffer.size);
  memcpy(frame->buffer.data, packet->buffer.data, packet->buffer.size);
  frame->plane_count = 1;
  frame->plane[0] = frame->buffer.data;
  frame->stride[0] = (ptrdiff_t)packet->buffer.size;
  d->held_count = 1;
  return RSP_OK;
}

static rsp_status audio_decoder_receive(rsp_decoder *d, rsp_frame *frame, rsp_error *error UNUSED) {
  if (d->held_count == 0) return d->drained ? RSP_END : RSP_AGAIN;
  uint32_t size = frame->struct_size;
  *frame = d->held[0];
  frame->struct_size = size;
  d->held_count = 0;
  return RSP_OK;
}

static void audio_decoder_flush(rsp_decoder *d) {
  if (d->held_count > 0) release(d->held[0].buffer.owner);
  d->held_count = d->drained = 0;
}

static void audio_decoder_close(rsp_decoder *d) {
  audio_decoder_flush(d);
  free(d);
}

static const char *const audio_codecs[] = {AUDIO_CODEC, NULL};
static const uint32_t sample_formats[] = {RSP_SAMPLE_S16, RSP_SAMPLE_S16P, 0};

static const rsp_encoder_factory audio_encoder = {
    .head = {.struct_size = sizeof(rsp_encoder_factory), .kind = RSP_FACTORY_ENCODER, .tier = RSP_TIER_STANDARD,
             .flags = HAS(not_variable) ? RSP_FACTORY_VARIABLE_FRAME_SIZE : 0, .name = "faulty_audio",
             .long_name = "PCM with delay", .codecs = audio_codecs, .sample_formats = sample_formats,
             .minimum_channels = 1, .maximum_channels = 8},
    .open = audio_open, .track = encoder_track, .send = audio_send, .receive = audio_receive, .close = audio_close};

static const rsp_decoder_factory audio_decoder = {
    .head = {.struct_size = sizeof(rsp_decoder_factory), .kind = RSP_FACTORY_DECODER, .tier = RSP_TIER_STANDARD,
             .name = "faulty_audio", .long_name = "PCM with delay", .codecs = audio_codecs},
    .open = audio_decoder_open, .send = audio_decoder_send, .receive = audio_decoder_receive,
    .flush = audio_decoder_flush, .close = audio_decoder_close};
