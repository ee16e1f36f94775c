/* zimg (pixel formats, scaling) and soxr (sample rates) for Swift, which can neither expand their
   macros nor index the arrays in zimg's buffers. */
#ifndef RESPOOL_CONVERSION_H
#define RESPOOL_CONVERSION_H
#include <soxr.h>
#include <stddef.h>
#include <zimg.h>

static inline zimg_image_format respool_zimg_format(void) {
  zimg_image_format format;
  zimg_image_format_default(&format, ZIMG_API_VERSION);
  return format;
}

static inline zimg_graph_builder_params respool_zimg_parameters(void) {
  zimg_graph_builder_params parameters;
  zimg_graph_builder_params_default(&parameters, ZIMG_API_VERSION);
  return parameters;
}

/* Where zimg finds or puts one plane: row r lies at data + (r & mask) * stride. */
typedef struct respool_plane {
  void *data;
  ptrdiff_t stride;
  unsigned mask;
} respool_plane;

static inline zimg_error_code_e respool_zimg_process(
    const zimg_filter_graph *graph, const respool_plane source[4], const respool_plane target[4],
    void *scratch, zimg_filter_graph_callback unpack, zimg_filter_graph_callback pack,
    void *context) {
  zimg_image_buffer_const from = {ZIMG_API_VERSION};
  zimg_image_buffer to = {ZIMG_API_VERSION};
  for (int i = 0; i < 4; i++) {
    from.plane[i].data = source[i].data;
    from.plane[i].stride = source[i].stride;
    from.plane[i].mask = source[i].mask;
    to.plane[i].data = target[i].data;
    to.plane[i].stride = target[i].stride;
    to.plane[i].mask = target[i].mask;
  }
  return zimg_filter_graph_process(graph, &from, &to, scratch, unpack, context, pack, context);
}

#endif
