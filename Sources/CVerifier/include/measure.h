/* Media that checks send to codecs, and its comparison with decoded media.

   A frame and a moment determine the value of every component, so that a frame can be recognized.  Values are in 8-bit
   levels, whatever the format stores. */
#ifndef RESPOOL_MEASURE_H
#define RESPOOL_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* One plane of a frame, as a grid of components. */
typedef struct {
  int columns;     /* components of a row */
  int rows;
  int interleave;  /* components of a pixel in this plane */
  int first;       /* number of the first component: 0 luma or red, 1 and 2 chroma, 3 alpha */
  int bytes;       /* of a component: 1, 2, or 4 for floating point */
  int shift;       /* bits that a component has beyond 8, with unused low bits; 0 for 1 byte */
  int big_endian;
} measure_plane;

/* Fills a plane with the moment `time`: a static ramp for each component and, for component 0, a moving wave. */
void measure_fill(const measure_plane *plane, uint8_t *base, ptrdiff_t stride, int64_t time);

/* Returns the mean squared difference from the moment `time`, in 8-bit levels, in a range of columns and rows. */
double measure_difference(
    const measure_plane *plane, const uint8_t *base, ptrdiff_t stride, int64_t time, int from_column, int to_column,
    int from_row, int to_row);

/* Returns the audio sample at `index` of a channel: a tone with rising frequency, different in each channel.  A low
   tone if `is_low` is not 0. */
double measure_tone(int channel, int64_t index, int rate, int is_low);

/* Formats of audio samples: 1 u8, 2 s16, 3 s32, 4 float, 5 double. */
void measure_store(double value, int format, uint8_t *bytes);
double measure_load(int format, const uint8_t *bytes);

/* Fills `count` audio samples from the time `start` on; `step` bytes lie between two of them. */
void measure_fill_tone(
    int channel, int is_low, int rate, int64_t start, int count, int format, uint8_t *bytes, ptrdiff_t step);

/* Converts `count` audio samples to double. */
void measure_read(int format, const uint8_t *bytes, ptrdiff_t step, int count, double *values);

/* Returns the correlation, -1 to 1, of `count` values with the tone of a channel from the time `start` on. */
double measure_correlation(const double *values, int count, int channel, int is_low, int rate, int64_t start);

/* Returns a hash of bytes (FNV-1a), continued from `hash`; 0 starts. */
uint64_t measure_hash(uint64_t hash, const uint8_t *bytes, size_t count);

#endif
