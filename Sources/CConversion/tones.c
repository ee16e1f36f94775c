/* Tone mapping from high to standard dynamic range. */
#include <stdint.h>
#include <string.h>

#include "conversion.h"

/* Number of pixels processed together, enough for the compiler to vectorize the loops over them. */
enum { WIDTH = 32 };

static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float greater(float a, float b) { return a > b ? a : b; }

/* Interpolates linearly between two neighbors in a table: `places` are indexes, `parts` fractions from 0 to 1. */
static inline void between(
    const float *values, const int *places, const float *parts, float *results) {
  float near[WIDTH], far[WIDTH];
  for (int i = 0; i < WIDTH; i++) {
    near[i] = values[places[i]];
    far[i] = values[places[i] + 1];
  }
  for (int i = 0; i < WIDTH; i++) results[i] = near[i] + (far[i] - near[i]) * parts[i];
}

/* Applies a curve that begins at 2^octave to `x`. The upper bits of a float are the index in the table, the lower
   bits are the fraction between two entries. */
static inline void curve(const float *values, int octave, float *x) {
  enum { low = 23 - RESPOOL_CURVE_BITS };
  int places[WIDTH];
  float parts[WIDTH], results[WIDTH];
  const int32_t first = (127 + octave) * (1 << 23);
  for (int i = 0; i < WIDTH; i++) {
    int32_t bits;
    memcpy(&bits, x + i, sizeof bits);
    bits -= first;
    bits &= ~(bits >> 31);
    places[i] = bits >> low;
    parts[i] = (float)(bits & ((1 << low) - 1)) * (1.0f / (1 << low));
  }
  between(values, places, parts, results);
  const float start = octave < 0 ? 1.0f / (float)(1 << -octave) : 1, slope = values[0] / start;
  for (int i = 0; i < WIDTH; i++) x[i] = x[i] < start ? x[i] * slope : results[i];
}

static inline void light(const float *values, const unsigned short *codes, float *results) {
  enum { low = 16 - RESPOOL_LIGHT_BITS };
  int places[WIDTH];
  float parts[WIDTH];
  for (int i = 0; i < WIDTH; i++) {
    places[i] = codes[i] >> low;
    parts[i] = (float)(codes[i] & ((1 << low) - 1)) * (1.0f / (1 << low));
  }
  between(values, places, parts, results);
}

static void map(
    const respool_tones *tones, const unsigned short *const source[3],
    unsigned short *const target[3]) {
  const float *m = tones->matrix;
  float light_of[3][WIDTH], color[3][WIDTH], scale[WIDTH], most[WIDTH];
  for (int k = 0; k < 3; k++) light(tones->light, source[k], light_of[k]);
  const float *r = light_of[0], *g = light_of[1], *b = light_of[2];
  if (tones->system) {
    const float *y = tones->scene_luminance;
    for (int i = 0; i < WIDTH; i++)
      scale[i] = smaller(y[0] * r[i] + y[1] * g[i] + y[2] * b[i], 1);
    curve(tones->system, -24, scale);
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < WIDTH; i++) light_of[k][i] *= scale[i];
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < WIDTH; i++)
      color[k][i] = m[3 * k] * r[i] + m[3 * k + 1] * g[i] + m[3 * k + 2] * b[i];
  const float *y = tones->luminance;
  for (int i = 0; i < WIDTH; i++) {
    /* The nearest color of the same luminance that the display can show. */
    const float least = smaller(smaller(color[0][i], smaller(color[1][i], color[2][i])), 0);
    const float gray = greater(y[0] * color[0][i] + y[1] * color[1][i] + y[2] * color[2][i], 0);
    const float share = least < 0 ? gray / (gray - least) : 1;
    const float add = gray * (1 - share);
    for (int k = 0; k < 3; k++) {
      const float c = color[k][i];
      color[k][i] = c <= least ? 0 : greater(add + c * share, 0);
    }
    most[i] = greater(color[0][i], greater(color[1][i], color[2][i]));
    scale[i] = smaller(most[i], 127);
  }
  curve(tones->scale, -2, scale);
  for (int i = 0; i < WIDTH; i++) scale[i] = most[i] > tones->knee ? scale[i] : 1;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < WIDTH; i++) color[k][i] = smaller(color[k][i] * scale[i], 1);
    curve(tones->code, -24, color[k]);
    for (int i = 0; i < WIDTH; i++)
      target[k][i] = (unsigned short)(int)(color[k][i] * 65535 + 0.5f);
  }
}

void respool_map_tones(
    const respool_tones *tones, const unsigned short *const source[3],
    unsigned short *const target[3], size_t count) {
  for (size_t done = 0; done < count; done += WIDTH) {
    const unsigned short *from[3] = {source[0] + done, source[1] + done, source[2] + done};
    unsigned short *to[3] = {target[0] + done, target[1] + done, target[2] + done};
    if (count - done >= WIDTH) {
      map(tones, from, to);
      continue;
    }
    unsigned short last[3][WIDTH] = {{0}};
    for (int k = 0; k < 3; k++) memcpy(last[k], from[k], (count - done) * sizeof **last);
    unsigned short *const rest[3] = {last[0], last[1], last[2]};
    const unsigned short *const same[3] = {last[0], last[1], last[2]};
    map(tones, same, rest);
    for (int k = 0; k < 3; k++) memcpy(to[k], last[k], (count - done) * sizeof **last);
  }
}
