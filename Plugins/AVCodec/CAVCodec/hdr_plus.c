#include "CAVCodec.h"

#include <string.h>

/* A writer of bits, the highest bit of a byte first. Bits that do not fit are counted but not written. */
typedef struct bit_writer {
  uint8_t *bytes;
  size_t count;
} bit_writer;

static void put(bit_writer *writer, int width, int64_t value) {
  for (int bit = width - 1; bit >= 0; bit--, writer->count++) {
    if (writer->count / 8 >= AVCODEC_HDR_PLUS_ROOM) continue;
    if (value >> bit & 1) writer->bytes[writer->count / 8] |= (uint8_t)(0x80 >> writer->count % 8);
  }
}

/* Writes a fraction as a whole number of units of 1 / `scale`, clamped to the range of `width` bits. */
static void put_scaled(bit_writer *writer, int width, AVRational value, int64_t scale) {
  int64_t most = ((int64_t)1 << width) - 1;
  int64_t units = value.den ? (value.num * scale + value.den / 2) / value.den : 0;
  put(writer, width, units < 0 ? 0 : units > most ? most : units);
}

static void put_peaks(bit_writer *writer, int rows, int columns, const AVRational values[25][25]) {
  put(writer, 5, rows);
  put(writer, 5, columns);
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < columns; column++) put_scaled(writer, 4, values[row][column], 15);
  }
}

size_t avcodec_hdr_plus_message(const AVDynamicHDRPlus *value, uint8_t *bytes) {
  bit_writer writer = {bytes, 0};
  memset(bytes, 0, AVCODEC_HDR_PLUS_ROOM);
  int windows = value->num_windows;
  if (windows < 1 || windows > 3) return 0;
  int target_rows = value->num_rows_targeted_system_display_actual_peak_luminance;
  int target_columns = value->num_cols_targeted_system_display_actual_peak_luminance;
  int mastering_rows = value->num_rows_mastering_display_actual_peak_luminance;
  int mastering_columns = value->num_cols_mastering_display_actual_peak_luminance;
  if (target_rows > 25 || target_columns > 25 || mastering_rows > 25 || mastering_columns > 25) return 0;

  /* Country: United States; provider: Samsung; provider-oriented code: ST 2094-40; application identifier: 4. */
  put(&writer, 8, 0xB5);
  put(&writer, 16, 0x3C);
  put(&writer, 16, 1);
  put(&writer, 8, 4);
  put(&writer, 8, value->application_version);
  put(&writer, 2, windows);
  for (int index = 1; index < windows; index++) {
    const AVHDRPlusColorTransformParams *window = &value->params[index];
    /* libavcodec stores the coded values of these coordinates in `num`. */
    put(&writer, 16, window->window_upper_left_corner_x.num);
    put(&writer, 16, window->window_upper_left_corner_y.num);
    put(&writer, 16, window->window_lower_right_corner_x.num);
    put(&writer, 16, window->window_lower_right_corner_y.num);
    put(&writer, 16, window->center_of_ellipse_x);
    put(&writer, 16, window->center_of_ellipse_y);
    put(&writer, 8, window->rotation_angle);
    put(&writer, 16, window->semimajor_axis_internal_ellipse);
    put(&writer, 16, window->semimajor_axis_external_ellipse);
    put(&writer, 16, window->semiminor_axis_external_ellipse);
    put(&writer, 1, window->overlap_process_option);
  }
  put_scaled(&writer, 27, value->targeted_system_display_maximum_luminance, 1);
  put(&writer, 1, value->targeted_system_display_actual_peak_luminance_flag != 0);
  if (value->targeted_system_display_actual_peak_luminance_flag) {
    put_peaks(&writer, target_rows, target_columns, value->targeted_system_display_actual_peak_luminance);
  }
  for (int index = 0; index < windows; index++) {
    const AVHDRPlusColorTransformParams *window = &value->params[index];
    if (window->num_distribution_maxrgb_percentiles > 15) return 0;
    for (int color = 0; color < 3; color++) put_scaled(&writer, 17, window->maxscl[color], 100000);
    put_scaled(&writer, 17, window->average_maxrgb, 100000);
    put(&writer, 4, window->num_distribution_maxrgb_percentiles);
    for (int place = 0; place < window->num_distribution_maxrgb_percentiles; place++) {
      put(&writer, 7, window->distribution_maxrgb[place].percentage);
      put_scaled(&writer, 17, window->distribution_maxrgb[place].percentile, 100000);
    }
    put_scaled(&writer, 10, window->fraction_bright_pixels, 1000);
  }
  put(&writer, 1, value->mastering_display_actual_peak_luminance_flag != 0);
  if (value->mastering_display_actual_peak_luminance_flag) {
    put_peaks(&writer, mastering_rows, mastering_columns, value->mastering_display_actual_peak_luminance);
  }
  for (int index = 0; index < windows; index++) {
    const AVHDRPlusColorTransformParams *window = &value->params[index];
    put(&writer, 1, window->tone_mapping_flag != 0);
    if (window->tone_mapping_flag) {
      if (window->num_bezier_curve_anchors > 15) return 0;
      put_scaled(&writer, 12, window->knee_point_x, 4095);
      put_scaled(&writer, 12, window->knee_point_y, 4095);
      put(&writer, 4, window->num_bezier_curve_anchors);
      for (int place = 0; place < window->num_bezier_curve_anchors; place++) {
        put_scaled(&writer, 10, window->bezier_curve_anchors[place], 1023);
      }
    }
    put(&writer, 1, window->color_saturation_mapping_flag != 0);
    if (window->color_saturation_mapping_flag) put_scaled(&writer, 6, window->color_saturation_weight, 8);
  }
  size_t count = (writer.count + 7) / 8;
  return count <= AVCODEC_HDR_PLUS_ROOM ? count : 0;
}
