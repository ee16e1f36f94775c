/* Light of high dynamic range for displays of standard range. */
#include <stdint.h>
#include <string.h>

#include "conversion.h"

static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float greater(float a, float b) { return a > b ? a : b; }

/* A curve that begins at 2^octave. The upper bits of a float count the places, the lower ones the way between. */
static inline float curve(const float *values, int octave, float x) {
  enum { low = 23 - RESPOOL_CURVE_BITS };
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits -= (127 + octave) * (1 << 23);
  if (bits < 0) return values[0] * x * (float)(1 << -octave);
  const float *near = values + (bits >> low);
  const float part = (float)(bits & ((1 << low) - 1)) * (1.0f / (1 << low));
  return near[0] + (near[1] - near[0]) * part;
}

static inline float light(const float *values, unsigned code) {
  enum { low = 16 - RESPOOL_LIGHT_BITS };
  const float *near = values + (code >> low);
  return near[0] + (near[1] - near[0]) * ((float)(code & ((1 << low) - 1)) * (1.0f / (1 << low)));
}

void respool_map_tones(
    const respool_tones *tones, const unsigned short *const source[3],
    unsigned short *const target[3], size_t count) {
  const respool_tones t = *tones;
  const float *m = t.matrix;
  for (size_t i = 0; i < count; i++) {
    float r = light(t.light, source[0][i]), g = light(t.light, source[1][i]),
          b = light(t.light, source[2][i]);
    if (t.system) {
      const float *y = t.scene_luminance;
      const float s = curve(t.system, -24, smaller(y[0] * r + y[1] * g + y[2] * b, 1));
      r *= s, g *= s, b *= s;
    }
    float color[3] = {
        m[0] * r + m[1] * g + m[2] * b, m[3] * r + m[4] * g + m[5] * b,
        m[6] * r + m[7] * g + m[8] * b};
    const float least = smaller(color[0], smaller(color[1], color[2]));
    if (least < 0) {
      /* The nearest colour of the same luminance that the display has. */
      const float *y = t.luminance;
      const float gray = greater(y[0] * color[0] + y[1] * color[1] + y[2] * color[2], 0);
      const float share = gray / (gray - least);
      for (int k = 0; k < 3; k++)
        color[k] = color[k] == least ? 0 : greater(gray + (color[k] - gray) * share, 0);
    }
    const float most = greater(color[0], greater(color[1], color[2]));
    const float scale = most > t.knee ? curve(t.scale, -2, smaller(most, 127)) : 1;
    for (int k = 0; k < 3; k++)
      target[k][i] =
          (unsigned short)(curve(t.code, -24, smaller(color[k] * scale, 1)) * 65535 + 0.5f);
  }
}
