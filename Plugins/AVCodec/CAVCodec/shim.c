#include "CAVCodec.h"

AVFrame *avcodec_repack(
    struct SwsContext **context, const AVFrame *source, enum AVPixelFormat format) {
  AVFrame *result = av_frame_alloc();
  if (!result) return NULL;
  result->format = format;
  result->width = source->width;
  result->height = source->height;
  *context = sws_getCachedContext(
      *context, source->width, source->height, source->format, source->width, source->height, format,
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
  if (!*context || av_frame_get_buffer(result, 0) < 0 || av_frame_copy_props(result, source) < 0 ||
      sws_scale(
          *context, (const uint8_t *const *)source->data, source->linesize, 0, source->height, result->data,
          result->linesize) != source->height) {
    av_frame_free(&result);
  }
  return result;
}
