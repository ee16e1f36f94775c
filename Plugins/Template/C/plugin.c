/* A decoder for the made-up codec "reverse": audio samples are unsigned bytes with all bits inverted. */
#include <respool/plugin.h>
#include <stdlib.h>
#include <string.h>

struct rsp_decoder {
  uint32_t rate, channels;
  uint64_t channel_mask;
  int full, drained;
  rsp_frame frame;
};

/* Memory of a frame. Releasing the last reference frees it, on any thread. */
typedef struct {
  _Atomic unsigned references;
  uint8_t bytes[];
} block;

static void retain(void *owner) { ((block *)owner)->references++; }
static void release(void *owner) {
  if (--((block *)owner)->references == 0) free(owner);
}

static rsp_status fail(rsp_error *error, rsp_status status, const char *message) {
  error->status = status;
  error->offset = RSP_UNKNOWN;
  error->track = -1;
  strncpy(error->message, message, sizeof error->message - 1);
  return status;
}

static rsp_status open_decoder(const rsp_factory *factory, const rsp_decoder_settings *settings,
                               rsp_decoder **out, rsp_error *error) {
  const rsp_track *track = settings->track;
  if (strcmp(track->codec, "reverse") != 0 || track->channels < 1 || track->channels > 64)
    return fail(error, RSP_ERROR_UNSUPPORTED, "only reverse with 1 to 64 channels is decoded");
  rsp_decoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) return fail(error, RSP_ERROR_PLUGIN, "no memory");
  decoder->rate = track->sample_rate;
  decoder->channels = track->channels;
  decoder->channel_mask = track->channel_mask;
  *out = decoder;
  return RSP_OK;
}

static rsp_status send(rsp_decoder *decoder, const rsp_packet *packet, rsp_error *error) {
  if (decoder->full) return RSP_AGAIN;
  if (packet == NULL) {
    decoder->drained = 1;
    return RSP_OK;
  }
  size_t size = packet->buffer.size;
  if (size == 0 || size % decoder->channels != 0 || size > 1u << 30)
    return fail(error, RSP_ERROR_MALFORMED, "the packet does not hold whole samples");
  block *memory = malloc(sizeof *memory + size);
  if (memory == NULL) return fail(error, RSP_ERROR_PLUGIN, "no memory");
  memory->references = 1;
  for (size_t i = 0; i < size; i++) memory->bytes[i] = (uint8_t)~packet->buffer.data[i];
  rsp_frame *frame = &decoder->frame;
  memset(frame, 0, sizeof *frame);
  frame->struct_size = sizeof *frame;
  frame->kind = RSP_KIND_AUDIO;
  frame->pts = packet->pts;
  frame->format = RSP_SAMPLE_U8;
  frame->sample_rate = decoder->rate;
  frame->channels = decoder->channels;
  frame->channel_mask = decoder->channel_mask;
  frame->sample_count = (uint32_t)(size / decoder->channels);
  frame->plane_count = 1;
  frame->plane[0] = memory->bytes;
  frame->stride[0] = (ptrdiff_t)size;
  frame->buffer = (rsp_buffer){memory->bytes, size, memory, retain, release};
  decoder->full = 1;
  return RSP_OK;
}

static rsp_status receive(rsp_decoder *decoder, rsp_frame *frame, rsp_error *error) {
  if (!decoder->full) return decoder->drained ? RSP_END : RSP_AGAIN;
  *frame = decoder->frame;
  decoder->full = 0;
  return RSP_OK;
}

static void flush(rsp_decoder *decoder) {
  if (decoder->full) release(decoder->frame.buffer.owner);
  decoder->full = decoder->drained = 0;
}

static void close_decoder(rsp_decoder *decoder) {
  flush(decoder);
  free(decoder);
}

static const char *const codecs[] = {"reverse", NULL};
static const rsp_decoder_factory decoder = {
    .head = {.struct_size = sizeof(rsp_decoder_factory), .kind = RSP_FACTORY_DECODER,
             .tier = RSP_TIER_STANDARD, .name = "reverse",
             .long_name = "Inverted 8-bit audio (example)", .codecs = codecs},
    .open = open_decoder, .send = send, .receive = receive, .flush = flush,
    .close = close_decoder};

static const rsp_factory *const factories[] = {&decoder.head};
static const rsp_plugin_info info = {sizeof info, 1, "Template", "1.0.0", "MIT", factories};
static const rsp_plugin_info *describe(const rsp_host *host) { return &info; }

RSP_EXPORT const rsp_plugin respool_plugin = {
    sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};
