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
