/* A demuxer for AU files (NeXT and Sun).  A file is a header of 24 bytes or more, then audio samples: ".snd", offset of the
   audio, its size in bytes (2^32 - 1: unknown), encoding, sample rate, channels; each has 4 bytes, the highest first.
   Replace the header and `read_packet` by your container.  All numbers come from files: check each before it is used. */
#include <respool/helpers.h>

#define PACKET_SAMPLES 1024

struct rsp_demuxer {
  const rsp_source *source; /* valid until close */
  int64_t start, end, position; /* bytes in the file */
  int is_wanted;
  rsp_track track;
  const rsp_track *tracks[1];
  rsp_media media;
};

static const struct {
  uint32_t encoding;
  const char *codec;
  uint32_t bits;
} encodings[] = {{1, "pcm_mulaw", 8},  {2, "pcm_s8", 8},     {3, "pcm_s16be", 16}, {4, "pcm_s24be", 24},
                 {5, "pcm_s32be", 32}, {6, "pcm_f32be", 32}, {7, "pcm_f64be", 64}, {27, "pcm_alaw", 8}};

/* 75: the signature.  The host has compared the magic of the description, or the extension. */
static int32_t probe(const rsp_factory *factory, const uint8_t *bytes, size_t count, const char *name) {
  (void)factory, (void)name;
  return count >= 24 && memcmp(bytes, ".snd", 4) == 0 ? 75 : 0;
}

static rsp_status open_demuxer(const rsp_factory *factory, const rsp_source *source, const rsp_options *options,
                               rsp_demuxer **out, rsp_error *error) {
  uint8_t header[24];
  (void)factory, (void)options;
  rsp_status status = rsp_read_exactly(source, 0, header, sizeof header, error);
  if (status != RSP_OK) return status;
  if (memcmp(header, ".snd", 4) != 0)
    return rsp_fail_at(error, RSP_ERROR_MALFORMED, 0, "the file does not start with .snd");
  uint32_t numbers[5];
  for (int i = 0; i < 5; i++) numbers[i] = (uint32_t)rsp_load_be(header + 4 + 4 * i, 4);
  uint32_t offset = numbers[0], size = numbers[1], encoding = numbers[2], rate = numbers[3], channels = numbers[4];
  size_t kind = 0;
  while (kind < sizeof encodings / sizeof *encodings && encodings[kind].encoding != encoding) kind++;
  if (kind == sizeof encodings / sizeof *encodings)
    return rsp_fail_at(error, RSP_ERROR_UNSUPPORTED, 12, "the encoding is %u; 1 to 7 and 27 are read", encoding);
  if (offset < sizeof header || rate < 1 || rate > 768000 || channels < 1 || channels > 64)
    return rsp_fail_at(error, RSP_ERROR_MALFORMED, 4, "audio of %u channels at %u Hz from byte %u on is not possible",
                       channels, rate, offset);
  rsp_demuxer *demuxer = calloc(1, sizeof *demuxer);
  if (!demuxer) return rsp_no_memory(error);
  uint32_t block = channels * encodings[kind].bits / 8;
  demuxer->source = source;
  demuxer->start = demuxer->position = offset;
  demuxer->end = size == UINT32_MAX ? source->size : (int64_t)offset + size;
  int ends_early = source->size >= 0 && demuxer->end > source->size;
  if (ends_early) demuxer->end = source->size;
  demuxer->is_wanted = 1;
  demuxer->track = rsp_new_track(RSP_KIND_AUDIO, encodings[kind].codec);
  demuxer->track.time_base = (rsp_rational){1, (int32_t)rate};
  demuxer->track.start = 0;
  demuxer->track.sample_rate = rate;
  demuxer->track.channels = channels;
  demuxer->track.bits_per_sample = encodings[kind].bits;
  demuxer->track.block_align = block;
  if (demuxer->end >= demuxer->start) demuxer->track.duration = (demuxer->end - demuxer->start) / block;
  demuxer->tracks[0] = &demuxer->track;
  demuxer->media = (rsp_media){.struct_size = sizeof(rsp_media), .track_count = 1, .tracks = demuxer->tracks,
                               .format = "au", .duration = RSP_NO_TIME};
  if (demuxer->track.duration != RSP_NO_TIME)
    demuxer->media.duration = rsp_rescale(demuxer->track.duration, demuxer->track.time_base,
                                          (rsp_rational){1, 1000000000});
  if (ends_early) {
    demuxer->media.facts = RSP_MEDIA_ENDS_EARLY;
    demuxer->media.warning = "the file ends before the audio that its header declares";
  }
  *out = demuxer;
  return RSP_OK;
}

static const rsp_media *media(rsp_demuxer *demuxer) { return &demuxer->media; }

static rsp_status select_tracks(rsp_demuxer *demuxer, const uint8_t *wanted, uint32_t count, rsp_error *error) {
  if (count != 1) return rsp_fail(error, RSP_ERROR_ARGUMENT, "%u tracks are selected; there is 1", count);
  demuxer->is_wanted = wanted[0];
  return RSP_OK;
}

/* The payload is bytes.  If the size of the source is known, it could also be a range of the source, which the host copies
   without the plugin: packet->range_offset and packet->range_length. */
static rsp_status read_packet(rsp_demuxer *demuxer, rsp_packet *packet, rsp_error *error) {
  int64_t block = demuxer->track.block_align, size = PACKET_SAMPLES * block;
  if (!demuxer->is_wanted) return RSP_END;
  if (demuxer->end >= 0 && demuxer->end - demuxer->position < size) size = demuxer->end - demuxer->position;
  if (size < block) return RSP_END;
  rsp_buffer buffer = rsp_new_buffer((size_t)size);
  if (!buffer.owner) return rsp_no_memory(error);
  const rsp_source *source = demuxer->source;
  int64_t got = source->read_at(source->context, demuxer->position, buffer.data, buffer.size);
  int64_t samples = got / block;
  if (samples < 1) {
    rsp_release_buffer(&buffer);
    return got < 0 ? rsp_fail_at(error, (rsp_status)got, demuxer->position, "the source could not be read") : RSP_END;
  }
  buffer.size = (size_t)(samples * block);
  int64_t time = (demuxer->position - demuxer->start) / block;
  rsp_packet next = rsp_new_packet(buffer, time, time, samples, RSP_PACKET_KEY);
  rsp_copy(packet, &next); /* writes no more than the host has room for */
  demuxer->position += samples * block;
  return RSP_OK;
}

static rsp_status seek(rsp_demuxer *demuxer, uint32_t track, int64_t time, rsp_error *error) {
  (void)track, (void)error;
  int64_t last = demuxer->track.duration == RSP_NO_TIME ? INT32_MAX : demuxer->track.duration;
  time = time < 0 ? 0 : time > last ? last : time;
  demuxer->position = demuxer->start + time * demuxer->track.block_align;
  return RSP_OK;
}

static void close_demuxer(rsp_demuxer *demuxer) { free(demuxer); }

static const char *const extensions[] = {"au", "snd", NULL};
static const rsp_magic magics[] = {{0, 4, (const uint8_t *)".snd", NULL}};
static const rsp_demuxer_factory demuxer = {
    .head = {.struct_size = sizeof demuxer, .kind = RSP_FACTORY_DEMUXER, .tier = RSP_TIER_STANDARD,
             .name = "template", .long_name = "NeXT and Sun audio (Template)", .extensions = extensions,
             .magics = magics, .magic_count = 1},
    .probe = probe, .open = open_demuxer, .media = media, .select = select_tracks, .read = read_packet, .seek = seek,
    .close = close_demuxer};

RSP_PLUGIN("Template", "1.0.0", "MIT", &demuxer.head);
