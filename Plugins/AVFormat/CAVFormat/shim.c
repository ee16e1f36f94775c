#include "CAVFormat.h"

static int refuse(AVFormatContext *context, AVIOContext **out, const char *url, int flags,
                  AVDictionary **options) {
  (void)context, (void)url, (void)flags, (void)options;
  *out = NULL;
  return AVERROR(EPERM);
}

void avformat_forbid_opening(AVFormatContext *context) {
  context->io_open = refuse;
  /* Demuxers that bypass io_open pass this list on. No protocol is called "none". */
  av_freep(&context->protocol_whitelist);
  context->protocol_whitelist = av_strdup("none");
}

enum { output_buffer_size = 1 << 16 };

AVIOContext *avformat_make_output(void *opaque, avformat_writer write) {
  unsigned char *buffer = av_malloc(output_buffer_size);
  if (!buffer) return NULL;
  /* Before libavformat 61 the bytes are not const. */
#if LIBAVFORMAT_VERSION_MAJOR < 61
  int (*function)(void *, uint8_t *, int) = (int (*)(void *, uint8_t *, int))write;
#else
  avformat_writer function = write;
#endif
  AVIOContext *output =
      avio_alloc_context(buffer, output_buffer_size, 1, opaque, NULL, function, NULL);
  if (!output) av_free(buffer);
  return output;
}

void avformat_free_output(AVIOContext *output) {
  if (!output) return;
  av_freep(&output->buffer);
  avio_context_free(&output);
}
