/* A whole plugin in plain C: demuxer, decoder, encoder and muxer of a toy container with 16-bit PCM.
   A file is "TOYREEL1", sample rate and channels (32 bits each, lowest byte first), then packets, each
   behind its 32-bit length.  WITH_FILTER adds a filter that passes audio on.  Built by the tests with nothing but the public headers.
   FAILS_IN names a function that returns FAILS_WITH, from its call FAILS_FROM to its call FAILS_UNTIL. */
#include <respool/plugin.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TOY_NAME
#define TOY_NAME "toy"
#endif

#define HEADER_SIZE 16
#define MAXIMUM_PACKET (1u << 20)

static const rsp_host *the_host;

static rsp_status fail(rsp_error *error, rsp_status status, int64_t offset, const char *message) {
  error->status = status;
  error->offset = offset;
  error->track = -1;
  snprintf(error->message, sizeof error->message, "%s", message);
  return status;
}

#if defined(FAILS_IN)
#if !defined(FAILS_FROM)
#define FAILS_FROM 1
#endif
#if !defined(FAILS_UNTIL)
#define FAILS_UNTIL 1000000
#endif
#define MAY_FAIL                                                                          \
  if (strcmp(__func__, FAILS_IN) == 0) {                                                  \
    static int calls;                                                                     \
    calls++;                                                                              \
    if (calls >= FAILS_FROM && calls <= FAILS_UNTIL)                                      \
      return FAILS_WITH < 0 ? fail(error, FAILS_WITH, -1, "a test wants this") : FAILS_WITH; \
  }
#else
#define MAY_FAIL
#endif

static uint32_t load(const uint8_t *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void store(uint8_t *b, uint32_t value) {
  for (int i = 0; i < 4; i++) b[i] = (uint8_t)(value >> (8 * i));
}

/* Counted memory for frames and packets. */
typedef struct {
  atomic_uint references;
  uint8_t bytes[];
} block;

static void retain(void *owner) { atomic_fetch_add(&((block *)owner)->references, 1); }

static void release(void *owner) {
  if (atomic_fetch_sub(&((block *)owner)->references, 1) == 1) free(owner);
}

static rsp_buffer make_buffer(const void *bytes, size_t size) {
  block *b = malloc(sizeof *b + size + 1);
  atomic_init(&b->references, 1);
  if (size > 0) memcpy(b->bytes, bytes, size);
  return (rsp_buffer){b->bytes, size, b, retain, release};
}

static void describe_track(rsp_track *track, uint32_t rate, uint32_t channels) {
  memset(track, 0, sizeof *track);
  track->struct_size = sizeof *track;
  track->kind = RSP_KIND_AUDIO;
  track->id = 1;
  track->codec = "toy_pcm";
  track->time_base = (rsp_rational){1, (int32_t)rate};
  track->start = 0;
  track->duration = RSP_NO_TIME;
  track->packet_count = RSP_UNKNOWN;
  track->profile = track->level = -1;
  track->sample_rate = rate;
  track->channels = channels;
  track->sample_format = RSP_SAMPLE_S16;
  track->bits_per_sample = 16;
}

/* Demuxer */

struct rsp_demuxer {
  const rsp_source *source;
  int64_t position, time;
  int wanted;
  rsp_track track;
  const rsp_track *tracks[1];
  rsp_media media;
};

static int32_t toy_probe(const rsp_factory *factory, const uint8_t *bytes, size_t count, const char *name) {
  return count >= HEADER_SIZE && memcmp(bytes, "TOYREEL1", 8) == 0 ? 100 : 0;
}

static rsp_status toy_demux_open(const rsp_factory *factory, const rsp_source *source,
                                 const rsp_options *options, rsp_demuxer **out, rsp_error *error) {
  MAY_FAIL
#ifdef CRASH_IN_DEMUXER
  abort();
#endif
  uint8_t head[HEADER_SIZE];
  int64_t count = source->read_at(source->context, 0, head, sizeof head);
  if (count < 0) return fail(error, (rsp_status)count, 0, "the source could not be read");
  if (count < HEADER_SIZE || memcmp(head, "TOYREEL1", 8) != 0)
    return fail(error, RSP_ERROR_MALFORMED, 0, "the file does not start with TOYREEL1");
  uint32_t rate = load(head + 8), channels = load(head + 12);
  if (rate < 1 || rate > 768000 || channels < 1 || channels > 8)
    return fail(error, RSP_ERROR_MALFORMED, 8, "sample rate or channels are out of range");
  rsp_demuxer *demuxer = calloc(1, sizeof *demuxer);
  demuxer->source = source;
  demuxer->position = HEADER_SIZE;
  demuxer->wanted = 1;
  describe_track(&demuxer->track, rate, channels);
  demuxer->tracks[0] = &demuxer->track;
  demuxer->media = (rsp_media){.struct_size = sizeof(rsp_media), .track_count = 1,
                               .tracks = demuxer->tracks, .format = "toy", .duration = RSP_NO_TIME};
  *out = demuxer;
  return RSP_OK;
}

static const rsp_media *toy_media(rsp_demuxer *demuxer) { return &demuxer->media; }

static rsp_status toy_select(rsp_demuxer *demuxer, const uint8_t *wanted, uint32_t count, rsp_error *error) {
  MAY_FAIL
  if (count != 1) return fail(error, RSP_ERROR_ARGUMENT, -1, "there is one track");
  demuxer->wanted = wanted[0];
  return RSP_OK;
}

static rsp_status toy_read(rsp_demuxer *demuxer, rsp_packet *packet, rsp_error *error) {
  MAY_FAIL
  uint8_t head[4];
  const rsp_source *source = demuxer->source;
  if (!demuxer->wanted) return RSP_END;
  int64_t count = source->read_at(source->context, demuxer->position, head, 4);
  if (count < 0) return fail(error, (rsp_status)count, demuxer->position, "the source could not be read");
  if (count == 0) return RSP_END;
  int64_t start = demuxer->position;
  uint32_t size = count == 4 ? load(head) : 0;
  if (count < 4 || size < 1 || size > MAXIMUM_PACKET || start + 4 + size > source->size) {
    demuxer->position = source->size; /* nothing behind the damage can be trusted */
    return fail(error, RSP_ERROR_MALFORMED, start, "a packet's length does not fit the file");
  }
  demuxer->position += 4 + size;
  int64_t samples = size / (2 * demuxer->track.channels);
  packet->track = 0;
  packet->pts = packet->dts = demuxer->time;
  packet->duration = samples;
  packet->flags = RSP_PACKET_KEY;
  packet->range_offset = start + 4;
  packet->range_length = size;
  demuxer->time += samples;
  return RSP_OK;
}

static void toy_demux_close(rsp_demuxer *demuxer) { free(demuxer); }

/* Decoder */

struct rsp_decoder {
  uint32_t rate, channels;
  int full, drained;
  rsp_buffer pending;
  int64_t pts;
};

static rsp_status toy_decode_open(const rsp_factory *factory, const rsp_decoder_settings *settings,
                                  rsp_decoder **out, rsp_error *error) {
  MAY_FAIL
  const rsp_track *track = settings->track;
  if (strcmp(track->codec, "toy_pcm") != 0)
    return fail(error, RSP_ERROR_UNSUPPORTED, -1, "only toy_pcm is decoded");
  if (track->channels < 1 || track->channels > 8 || track->sample_rate < 1 ||
      track->sample_rate > 768000)
    return fail(error, RSP_ERROR_ARGUMENT, -1, "1 to 8 channels and a sample rate are needed");
  rsp_decoder *decoder = calloc(1, sizeof *decoder);
  decoder->rate = track->sample_rate;
  decoder->channels = track->channels;
  *out = decoder;
  return RSP_OK;
}

static rsp_status toy_decode_send(rsp_decoder *decoder, const rsp_packet *packet, rsp_error *error) {
  MAY_FAIL
  if (decoder->full) return RSP_AGAIN;
  if (packet == NULL) {
    decoder->drained = 1;
    return RSP_OK;
  }
  size_t unit = 2 * decoder->channels;
  if (packet->buffer.size == 0 || packet->buffer.size % unit != 0)
    return fail(error, RSP_ERROR_MALFORMED, -1, "a packet does not hold whole samples");
  decoder->pending = make_buffer(packet->buffer.data, packet->buffer.size);
  decoder->pts = packet->pts;
  decoder->full = 1;
  return RSP_OK;
}

static rsp_status toy_decode_receive(rsp_decoder *decoder, rsp_frame *frame, rsp_error *error) {
  MAY_FAIL
  if (!decoder->full) return decoder->drained ? RSP_END : RSP_AGAIN;
  frame->kind = RSP_KIND_AUDIO;
  frame->pts = decoder->pts;
  frame->format = RSP_SAMPLE_S16;
  frame->sample_rate = decoder->rate;
  frame->channels = decoder->channels;
  frame->sample_count = (uint32_t)(decoder->pending.size / (2 * decoder->channels));
  frame->duration = frame->sample_count;
  frame->plane_count = 1;
  frame->plane[0] = decoder->pending.data;
  frame->stride[0] = (ptrdiff_t)decoder->pending.size;
  frame->buffer = decoder->pending;
  decoder->full = 0;
  return RSP_OK;
}

static void toy_decode_flush(rsp_decoder *decoder) {
  if (decoder->full) release(decoder->pending.owner);
  decoder->full = decoder->drained = 0;
}

static void toy_decode_close(rsp_decoder *decoder) {
  toy_decode_flush(decoder);
  free(decoder);
}

/* Encoder */

struct rsp_encoder {
  rsp_track track;
  int full, drained;
  rsp_buffer pending;
  int64_t time;
  uint32_t samples;
};

static rsp_status toy_encode_open(const rsp_factory *factory, const rsp_encoder_settings *settings,
                                  rsp_encoder **out, rsp_error *error) {
  MAY_FAIL
  const rsp_track *track = settings->track;
  if (strcmp(track->codec, "toy_pcm") != 0)
    return fail(error, RSP_ERROR_UNSUPPORTED, -1, "only toy_pcm is encoded");
  if (track->channels < 1 || track->channels > 8 || track->sample_rate < 1 ||
      track->sample_rate > 768000 || track->sample_format != RSP_SAMPLE_S16)
    return fail(error, RSP_ERROR_ARGUMENT, -1, "1 to 8 channels of s16 and a sample rate are needed");
  rsp_encoder *encoder = calloc(1, sizeof *encoder);
  describe_track(&encoder->track, track->sample_rate, track->channels);
  *out = encoder;
  return RSP_OK;
}

static const rsp_track *toy_encode_track(rsp_encoder *encoder) { return &encoder->track; }

static rsp_status toy_encode_send(rsp_encoder *encoder, const rsp_frame *frame, rsp_error *error) {
  MAY_FAIL
  if (encoder->full) return RSP_AGAIN;
  if (frame == NULL) {
    encoder->drained = 1;
    return RSP_OK;
  }
  if (frame->format != RSP_SAMPLE_S16 || frame->channels != encoder->track.channels)
    return fail(error, RSP_ERROR_ARGUMENT, -1, "the frame is not what the encoder was opened for");
  encoder->samples = frame->sample_count;
  encoder->pending = make_buffer(frame->plane[0], (size_t)frame->sample_count * 2 * frame->channels);
  encoder->full = 1;
  return RSP_OK;
}

static rsp_status toy_encode_receive(rsp_encoder *encoder, rsp_packet *packet, rsp_error *error) {
  MAY_FAIL
  if (!encoder->full) return encoder->drained ? RSP_END : RSP_AGAIN;
  packet->pts = packet->dts = encoder->time;
  packet->duration = encoder->samples;
  packet->flags = RSP_PACKET_KEY;
  packet->buffer = encoder->pending;
  encoder->time += encoder->samples;
  encoder->full = 0;
  return RSP_OK;
}

static void toy_encode_close(rsp_encoder *encoder) {
  if (encoder->full) release(encoder->pending.owner);
  free(encoder);
}

/* Muxer */

struct rsp_muxer {
  const rsp_sink *sink;
  rsp_rational time_base;
};

static rsp_status toy_supports(const rsp_factory *factory, const rsp_track *track, rsp_error *error) {
  MAY_FAIL
  if (strcmp(track->codec, "toy_pcm") != 0)
    return fail(error, RSP_ERROR_UNSUPPORTED, -1, "a toy file carries toy_pcm and nothing else");
  return RSP_OK;
}

static rsp_status toy_mux_open(const rsp_factory *factory, const rsp_media *media, const rsp_sink *sink,
                               const rsp_options *options, rsp_muxer **out, rsp_error *error) {
  MAY_FAIL
  if (media->track_count != 1)
    return fail(error, RSP_ERROR_UNSUPPORTED, -1, "a toy file has exactly one track");
  const rsp_track *track = media->tracks[0];
  rsp_status status = toy_supports(factory, track, error);
  if (status != RSP_OK) return status;
  if (track->sample_rate < 1 || track->sample_rate > 768000 || track->channels < 1 || track->channels > 8)
    return fail(error, RSP_ERROR_ARGUMENT, -1, "sample rate or channels are out of range");
  uint8_t head[HEADER_SIZE];
  memcpy(head, "TOYREEL1", 8);
  store(head + 8, track->sample_rate);
  store(head + 12, track->channels);
  status = sink->write(sink->context, head, sizeof head);
  if (status != RSP_OK) return fail(error, status, -1, "the output could not be written");
  rsp_muxer *muxer = calloc(1, sizeof *muxer);
  muxer->sink = sink;
  muxer->time_base = (rsp_rational){1, (int32_t)track->sample_rate};
  *out = muxer;
  return RSP_OK;
}

static rsp_rational toy_time_base(rsp_muxer *muxer, uint32_t track) { return muxer->time_base; }

static rsp_status toy_write(rsp_muxer *muxer, const rsp_packet *packet, rsp_error *error) {
  MAY_FAIL
  size_t size = packet->buffer.data != NULL ? packet->buffer.size : (size_t)packet->range_length;
  if (size == 0 || size > MAXIMUM_PACKET)
    return fail(error, RSP_ERROR_LIMIT, -1, "a packet has no bytes or too many");
  uint8_t head[4];
  store(head, (uint32_t)size);
  rsp_status status = muxer->sink->write(muxer->sink->context, head, 4);
  if (status == RSP_OK) status = muxer->sink->write_payload(muxer->sink->context, packet);
  if (status != RSP_OK) return fail(error, status, -1, "the output could not be written");
  return RSP_OK;
}

static rsp_status toy_finish(rsp_muxer *muxer, const rsp_media *media, rsp_error *error) {
  MAY_FAIL
  return RSP_OK;
}

static void toy_mux_close(rsp_muxer *muxer) { free(muxer); }

#if defined(WITH_FILTER)
/* Filter */

struct rsp_filter {
  rsp_track track;
  rsp_frame frame;
  int full, drained;
};

static rsp_status toy_filter_open(const rsp_factory *factory, const rsp_filter_settings *settings, rsp_filter **out,
                                  rsp_error *error) {
  MAY_FAIL
  rsp_filter *filter = calloc(1, sizeof *filter);
  describe_track(&filter->track, settings->track->sample_rate, settings->track->channels);
  *out = filter;
  return RSP_OK;
}

static const rsp_track *toy_filter_track(rsp_filter *filter) { return &filter->track; }

static rsp_status toy_filter_send(rsp_filter *filter, const rsp_frame *frame, rsp_error *error) {
  MAY_FAIL
  if (filter->full) return RSP_AGAIN;
  if (frame == NULL) {
    filter->drained = 1;
    return RSP_OK;
  }
  filter->frame = *frame;
  filter->frame.struct_size = sizeof filter->frame;
  filter->frame.buffer = make_buffer(frame->plane[0], (size_t)frame->sample_count * 2 * frame->channels);
  filter->frame.plane[0] = filter->frame.buffer.data;
  filter->full = 1;
  return RSP_OK;
}

static rsp_status toy_filter_receive(rsp_filter *filter, rsp_frame *frame, rsp_error *error) {
  MAY_FAIL
  if (!filter->full) return filter->drained ? RSP_END : RSP_AGAIN;
  *frame = filter->frame;
  filter->full = 0;
  return RSP_OK;
}

static void toy_filter_close(rsp_filter *filter) {
  if (filter->full) release(filter->frame.buffer.owner);
  free(filter);
}

#endif

/* Tables */

static const char *const extensions[] = {"toy", NULL};
static const char *const codecs[] = {"toy_pcm", NULL};
static const rsp_magic magics[] = {{0, 8, (const uint8_t *)"TOYREEL1", NULL}};
static const uint32_t sample_formats[] = {RSP_SAMPLE_S16, 0};
static const char *const flavours[] = {"plain", "fancy", NULL};
static const rsp_option options[] = {
    {sizeof(rsp_option), RSP_OPTION_INT, "level", "How hard to try", "3", 0, 9, NULL},
    {sizeof(rsp_option), RSP_OPTION_CHOICE, "flavour", "What it tastes of", "plain", 0, 0, flavours},
};

static const rsp_demuxer_factory demuxer = {
    .head = {.struct_size = sizeof(rsp_demuxer_factory), .kind = RSP_FACTORY_DEMUXER,
             .tier = RSP_TIER_PREFERRED, .name = "toy", .long_name = "Toy reel",
             .extensions = extensions, .magics = magics, .magic_count = 1},
    .probe = toy_probe, .open = toy_demux_open, .media = toy_media, .select = toy_select,
    .read = toy_read, .close = toy_demux_close};

static const rsp_decoder_factory decoder = {
    .head = {.struct_size = sizeof(rsp_decoder_factory), .kind = RSP_FACTORY_DECODER,
             .tier = RSP_TIER_STANDARD, .name = "toy_pcm", .long_name = "Toy PCM", .codecs = codecs},
    .open = toy_decode_open, .send = toy_decode_send, .receive = toy_decode_receive,
    .flush = toy_decode_flush, .close = toy_decode_close};

static const rsp_encoder_factory encoder = {
    .head = {.struct_size = sizeof(rsp_encoder_factory), .kind = RSP_FACTORY_ENCODER,
             .tier = RSP_TIER_STANDARD, .flags = RSP_FACTORY_VARIABLE_FRAME_SIZE, .name = "toy_pcm",
             .long_name = "Toy PCM", .codecs = codecs, .option_count = 2, .options = options,
             .sample_formats = sample_formats, .minimum_channels = 1, .maximum_channels = 8},
    .open = toy_encode_open, .track = toy_encode_track, .send = toy_encode_send,
    .receive = toy_encode_receive, .close = toy_encode_close};

static const rsp_muxer_factory muxer = {
    .head = {.struct_size = sizeof(rsp_muxer_factory), .kind = RSP_FACTORY_MUXER,
             .tier = RSP_TIER_PREFERRED, .name = "toy", .long_name = "Toy reel",
             .extensions = extensions, .codecs = codecs},
    .supports = toy_supports, .open = toy_mux_open, .time_base = toy_time_base, .write = toy_write,
    .finish = toy_finish, .close = toy_mux_close};

#if defined(WITH_FILTER)
static const rsp_filter_factory filter = {
    .head = {.struct_size = sizeof(rsp_filter_factory), .kind = RSP_FACTORY_FILTER, .tier = RSP_TIER_STANDARD,
             .name = "toy_pass", .long_name = "Toy filter", .sample_formats = sample_formats},
    .media = RSP_KIND_AUDIO, .open = toy_filter_open, .track = toy_filter_track, .send = toy_filter_send,
    .receive = toy_filter_receive, .close = toy_filter_close};

static const rsp_factory *const factories[] = {&demuxer.head, &decoder.head, &encoder.head, &muxer.head,
                                               &filter.head};
#else
static const rsp_factory *const factories[] = {&demuxer.head, &decoder.head, &encoder.head, &muxer.head};
#endif
static const rsp_plugin_info info = {sizeof info, sizeof factories / sizeof *factories, TOY_NAME, "1.2.3", "MIT", factories};

static const rsp_plugin_info *describe(const rsp_host *host) {
  the_host = host;
  host->log(host->context, RSP_LOG_DEBUG, "toy is here");
  return &info;
}

RSP_EXPORT const rsp_plugin respool_plugin = {
    sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};
