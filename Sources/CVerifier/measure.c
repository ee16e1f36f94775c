#include "measure.h"

#include <math.h>
#include <string.h>

/* The value of a component in 8-bit levels. */
static int level(const measure_plane *p, int column, int row, int64_t time) {
  int component = (p->first + column % p->interleave) % 4;
  int x = column / p->interleave, width = p->columns / p->interleave;
  if (width < 1) width = 1;
  switch (component) {
    case 0: {
      int64_t phase = ((int64_t)x * 64 / width - time * 5) % 64;
      if (phase < 0) phase += 64;
      int wave = (int)(phase < 32 ? phase : 64 - phase);
      return 40 + 100 * row / p->rows + 2 * wave;
    }
    case 1: return 80 + 40 * x / width;
    case 2: return 190 - 40 * row / p->rows;
    default: return 220 - 60 * x / width;
  }
}

void measure_fill(const measure_plane *p, uint8_t *base, ptrdiff_t stride, int64_t time) {
  for (int row = 0; row < p->rows; row++) {
    uint8_t *to = base + row * stride;
    for (int column = 0; column < p->columns; column++) {
      int value = level(p, column, row, time);
      if (p->bytes == 1) {
        to[column] = (uint8_t)value;
      } else if (p->bytes == 2) {
        unsigned wide = (unsigned)value << p->shift;
        to[2 * column + (p->big_endian ? 1 : 0)] = (uint8_t)wide;
        to[2 * column + (p->big_endian ? 0 : 1)] = (uint8_t)(wide >> 8);
      } else {
        float real = (float)value / 255;
        memcpy(to + 4 * column, &real, 4);
      }
    }
  }
}

static double stored(const measure_plane *p, const uint8_t *row, int column) {
  if (p->bytes == 1) return row[column];
  if (p->bytes == 2) {
    const uint8_t *at = row + 2 * column;
    unsigned wide = p->big_endian ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
    return (double)wide / (double)(1u << p->shift);
  }
  float real;
  memcpy(&real, row + 4 * column, 4);
  return real * 255;
}

double measure_difference(
    const measure_plane *p, const uint8_t *base, ptrdiff_t stride, int64_t time, int from_column, int to_column,
    int from_row, int to_row) {
  double sum = 0;
  int64_t count = 0;
  for (int row = from_row; row < to_row; row++) {
    for (int column = from_column; column < to_column; column++) {
      double difference = stored(p, base + row * stride, column) - level(p, column, row, time);
      sum += difference * difference;
      count++;
    }
  }
  return count > 0 ? sum / (double)count : 0;
}

double measure_tone(int channel, int64_t index, int rate, int is_low) {
  double t = (double)index / rate;
  double frequency = is_low ? 50 : 300 + 170 * channel, rise = is_low ? 10 : 500 + 90 * channel;
  return 0.3 * sin(2 * M_PI * (frequency * t + 0.5 * rise * t * t));
}

void measure_store(double value, int format, uint8_t *bytes) {
  switch (format) {
    case 1: *bytes = (uint8_t)(128 + lrint(value * 127)); break;
    case 2: { int16_t v = (int16_t)lrint(value * 32767); memcpy(bytes, &v, 2); break; }
    case 3: { int32_t v = (int32_t)lrint(value * 2147483000.0); memcpy(bytes, &v, 4); break; }
    case 4: { float v = (float)value; memcpy(bytes, &v, 4); break; }
    default: memcpy(bytes, &value, 8);
  }
}

double measure_load(int format, const uint8_t *bytes) {
  switch (format) {
    case 1: return (*bytes - 128) / 127.0;
    case 2: { int16_t v; memcpy(&v, bytes, 2); return v / 32767.0; }
    case 3: { int32_t v; memcpy(&v, bytes, 4); return v / 2147483000.0; }
    case 4: { float v; memcpy(&v, bytes, 4); return v; }
    default: { double v; memcpy(&v, bytes, 8); return v; }
  }
}

void measure_fill_tone(
    int channel, int is_low, int rate, int64_t start, int count, int format, uint8_t *bytes, ptrdiff_t step) {
  for (int i = 0; i < count; i++)
    measure_store(measure_tone(channel, start + i, rate, is_low), format, bytes + i * step);
}

void measure_read(int format, const uint8_t *bytes, ptrdiff_t step, int count, double *values) {
  for (int i = 0; i < count; i++) values[i] = measure_load(format, bytes + i * step);
}

double measure_correlation(const double *values, int count, int channel, int is_low, int rate, int64_t start) {
  double product = 0, first = 0, second = 0;
  for (int i = 0; i < count; i++) {
    double tone = measure_tone(channel, start + i, rate, is_low);
    product += values[i] * tone;
    first += values[i] * values[i];
    second += tone * tone;
  }
  return first > 0 && second > 0 ? product / sqrt(first * second) : 0;
}

uint64_t measure_hash(uint64_t hash, const uint8_t *bytes, size_t count) {
  if (hash == 0) hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}
