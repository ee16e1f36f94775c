/* zimg (pixel formats, scaling) and soxr (sample rates) for Swift, and tone mapping, which neither of them has. Swift
   can neither expand the macros of zimg nor index the arrays in its buffers. Both libraries are opened when they are
   first needed. */
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

/* A plane that zimg reads or writes: row r is at data + (r & mask) * stride. `stride` is in bytes. */
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

/* A curve is a table of a function of positive numbers. It has 1 << RESPOOL_CURVE_BITS entries for each power of two
   in its range, then the entry at the end of the range and one more. Values between two entries are interpolated.
   Below its range, a curve is a straight line from 0. */
enum { RESPOOL_CURVE_BITS = 6, RESPOOL_LIGHT_BITS = 12 };

/* Tables for tone mapping to a display of less dynamic range. In light, 1 is the white of that display. The caller
   owns the tables. */
typedef struct respool_tones {
  /* The light of 16-bit codes: 1 << RESPOOL_LIGHT_BITS entries at equal distances, and one after the last. */
  const float *light;
  /* Curve from 2^-24 to 1: luminance of the scene to the factor from light of the scene to light of the display.
     NULL if codes represent light of the display. */
  const float *system;
  /* Luminance of red, green and blue in the source. Only used with `system`. */
  float scene_luminance[3];
  /* Conversion to the primaries of the display, row by row. */
  float matrix[9];
  /* Luminance of the primaries of the display. */
  float luminance[3];
  /* Light up to which nothing is changed. */
  float knee;
  /* Curve from 1/4 to 128: greatest of red, green and blue to the factor for all three. Used above the knee. */
  const float *scale;
  /* Curve from 2^-24 to 1: light to its code, 0 to 1. */
  const float *code;
} respool_tones;

/* Maps the tones of a row of `count` pixels. `source` and `target` are red, green and blue, as full-range 16-bit
   codes. */
void respool_map_tones(
    const respool_tones *tones, const unsigned short *const source[3],
    unsigned short *const target[3], size_t count);

#endif
