/* A muxer for AU files (NeXT and Sun).  A file is a header of 24 bytes, then audio samples: ".snd", offset of the audio, its
   size in bytes (2^32 - 1: unknown), encoding, sample rate, channels; each has 4 bytes, the highest first.  Replace the
   header and `write_packet` by your container. */
#include <respool/helpers.h>

#define HEADER_SIZE 24

struct rsp_muxer {
  const rsp_sink *sink; /* valid until close */
  rsp_rational time_base;
};

static const struct {
  uint32_t encoding;
  const char *codec;
} encodings[] = {{1, "pcm_mulaw"}, {2, "pcm_s8"},    {3, "pcm_s16be"}, {4, "pcm_s24be"},
                 {5, "pcm_s32be"}, {6, "pcm_f32be"}, {7, "pcm_f64be"}, {27, "pcm_alaw"}};

/* Returns 0 if the container does not carry the codec. */
static uint32_t encoding_of(const char *codec) {
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
    if (strcmp(encodings[i].codec, codec) == 0) return encodings[i].encoding;
  return 0;
}

static rsp_status supports(const rsp_factory *factory, const rsp_track *track, rsp_error *error) {
  (void)factory;
  if (encoding_of(track->codec) == 0)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "AU does not carry %s; it carries big-endian PCM and G.711",
                    track->codec);
  return RSP_OK;
}

static rsp_status open_muxer(const rsp_factory *factory, const rsp_media *media, const rsp_sink *sink,
                             const rsp_options *options, rsp_muxer **out, rsp_error *error) {
  (void)options;
  if (media->track_count != 1)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%u tracks; an AU file has 1", media->track_count);
  const rsp_track *track = media->tracks[0]; /* lent for the call */
  rsp_status status = supports(factory, track, error);
  if (status != RSP_OK) return status;
  if (track->sample_rate < 1 || track->sample_rate > INT32_MAX || track->channels < 1)
    return rsp_fail(error, RSP_ERROR_UNSUPPORTED, "%u channels at %u Hz are not possible", track->channels,
                    track->sample_rate);
  uint8_t header[HEADER_SIZE] = ".snd";
  rsp_store_be(header + 4, HEADER_SIZE, 4);
  rsp_store_be(header + 8, UINT32_MAX, 4);
  rsp_store_be(header + 12, encoding_of(track->codec), 4);
  rsp_store_be(header + 16, track->sample_rate, 4);
  rsp_store_be(header + 20, track->channels, 4);
  status = rsp_write(sink, header, sizeof header, error);
  if (status != RSP_OK) return status;
  rsp_muxer *muxer = calloc(1, sizeof *muxer);
  if (!muxer) return rsp_no_memory(error);
  muxer->sink = sink;
  muxer->time_base = (rsp_rational){1, (int32_t)track->sample_rate};
  *out = muxer;
  return RSP_OK;
}

/* The host converts times to this time base. */
static rsp_rational time_base(rsp_muxer *muxer, uint32_t track) {
  (void)track;
  return muxer->time_base;
}

/* The payload is bytes or a range of the source: rsp_payload_size has its size, and the host writes both. */
static rsp_status write_packet(rsp_muxer *muxer, const rsp_packet *packet, rsp_error *error) {
  return rsp_write_payload(muxer->sink, packet, error);
}

static rsp_status finish(rsp_muxer *muxer, const rsp_media *media, rsp_error *error) {
  const rsp_sink *sink = muxer->sink;
  int64_t size = sink->size(sink->context) - HEADER_SIZE;
  uint8_t bytes[4];
  (void)media;
  if (!sink->seekable || size >= UINT32_MAX) return RSP_OK; /* the size stays unknown */
  rsp_store_be(bytes, (uint64_t)size, 4);
  rsp_status status = sink->write_at(sink->context, 8, bytes, sizeof bytes);
  return status < 0 ? rsp_fail(error, status, "the output could not be written") : RSP_OK;
}

static void close_muxer(rsp_muxer *muxer) { free(muxer); }

static const char *const extensions[] = {"au", "snd", NULL};
static const char *const codecs[] = {"pcm_mulaw", "pcm_s8",    "pcm_s16be", "pcm_s24be", "pcm_s32be",
                                     "pcm_f32be", "pcm_f64be", "pcm_alaw",  NULL};
static const rsp_muxer_factory muxer = {
    .head = {.struct_size = sizeof muxer, .kind = RSP_FACTORY_MUXER, .tier = RSP_TIER_STANDARD, .name = "template",
             .long_name = "NeXT and Sun audio (Template)", .extensions = extensions, .codecs = codecs},
    .supports = supports, .open = open_muxer, .time_base = time_base, .write = write_packet, .finish = finish,
    .close = close_muxer};

RSP_PLUGIN("Template", "1.0.0", "MIT", &muxer.head);
