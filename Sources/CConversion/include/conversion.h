/* zimg (pixel formats, scaling) and soxr (sample rates) for Swift, which can neither expand their
   macros nor index the arrays in zimg's buffers; and the loop of a conversion that neither of them has. */
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

/* A curve: what becomes of a positive number, at 1 << RESPOOL_CURVE_BITS places of each power of two from the
   first on, and between these by straight lines. Below the first power it goes to 0. */
enum { RESPOOL_CURVE_BITS = 6, RESPOOL_LIGHT_BITS = 12 };

/* How codes of light become codes for a display of less range; light is in parts of that display's white. */
typedef struct respool_tones {
  /* The light of 1 << RESPOOL_LIGHT_BITS codes, and of the one behind the last. */
  const float *light;
  /* A curve from 2^-24 to 1: by what the luminance of a scene multiplies its light on a display; null where
     codes are of the display's light. */
  const float *system;
  float scene_luminance[3];
  /* To the primaries of the display, row by row. */
  float matrix[9];
  float luminance[3];
  /* Up to here light stays. */
  float knee;
  /* A curve from 1/4 to 128: by what light above the knee is multiplied. */
  const float *scale;
  /* A curve from 2^-24 to 1: the code of light, 0 to 1. */
  const float *code;
} respool_tones;

/* Maps rows of red, green and blue, of `count` codes of 16 bits each. */
void respool_map_tones(
    const respool_tones *tones, const unsigned short *const source[3],
    unsigned short *const target[3], size_t count);

#endif
