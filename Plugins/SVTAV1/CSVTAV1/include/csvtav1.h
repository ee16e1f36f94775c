/* SVT-AV1 without the parts that differ between its versions: 1.4 of Debian 12, and those up to 4. */
#ifndef CSVTAV1_H
#define CSVTAV1_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* An encoder with its configuration. */
typedef struct csvtav1_encoder csvtav1_encoder;

/* Results of the functions below.  A call that fails for another reason returns CSVTAV1_FAILED. */
enum { CSVTAV1_OK = 0, CSVTAV1_EMPTY = 1, CSVTAV1_NO_MEMORY = -1, CSVTAV1_BAD_PARAMETER = -2, CSVTAV1_FAILED = -3 };

/* The version of the library, such as "v1.4.1". */
const char *csvtav1_version(void);

/* Makes an encoder with default parameters, or returns NULL. */
csvtav1_encoder *_Nullable csvtav1_create(void);

/* Ends an encoder in any state.  Frames that were sent are encoded first. */
void csvtav1_destroy(csvtav1_encoder *encoder);

typedef struct csvtav1_format {
  uint32_t width, height, bit_depth;
  uint32_t rate_numerator, rate_denominator;
  uint8_t primaries, transfer, matrix, is_full_range;
  /* As in the sequence header: 0 unknown, 1 left, 2 top left. */
  uint8_t chroma_position;
} csvtav1_format;

void csvtav1_set_format(csvtav1_encoder *encoder, const csvtav1_format *format);

/* Units of the AV1 specification 6.7.4: colors as fractions of 65536, luminance as fractions of 256 and 16384. */
typedef struct csvtav1_display {
  uint16_t red[2], green[2], blue[2], white_point[2];
  uint32_t maximum, minimum;
} csvtav1_display;

void csvtav1_set_display(csvtav1_encoder *encoder, const csvtav1_display *display);
void csvtav1_set_light_level(csvtav1_encoder *encoder, uint16_t maximum, uint16_t maximum_average);

/* Sets a parameter by its name in SVT-AV1. */
int csvtav1_parse(csvtav1_encoder *encoder, const char *name, const char *value);

/* The rate control after all parameters are set: 0 quality, 1 variable, 2 constant bit rate. */
int csvtav1_rate_control(const csvtav1_encoder *encoder);

/* The structure of prediction after all parameters are set: 1 low delay, 2 random access. */
int csvtav1_prediction(const csvtav1_encoder *encoder);

/* Checks all parameters. */
int csvtav1_check(csvtav1_encoder *encoder);

/* Starts an encoder after csvtav1_check. */
int csvtav1_start(csvtav1_encoder *encoder);

/* Bytes that the library owns. */
typedef struct csvtav1_bytes {
  const void *_Nullable data;
  size_t size;
} csvtav1_bytes;

typedef struct csvtav1_frame {
  const void *_Nonnull planes[3];
  /* In bytes; may be negative. */
  ptrdiff_t strides[3];
  int64_t pts;
  int must_be_key;
} csvtav1_frame;

static inline void csvtav1_set_plane(csvtav1_frame *frame, int index, const void *base, ptrdiff_t stride) {
  frame->planes[index] = base;
  frame->strides[index] = stride;
}

/* Sends a frame, which is copied. */
int csvtav1_send(csvtav1_encoder *encoder, const csvtav1_frame *frame);

/* Sends the end of the stream, once. */
int csvtav1_send_end(csvtav1_encoder *encoder);

typedef struct csvtav1_packet {
  csvtav1_bytes bytes;
  int64_t pts;
  int is_key, is_last;
} csvtav1_packet;

/* Gets a packet, to be released before the next call.  CSVTAV1_EMPTY if there is none; after the end was sent, the
   call waits for one. */
int csvtav1_receive(csvtav1_encoder *encoder, csvtav1_packet *packet);
void csvtav1_release(csvtav1_encoder *encoder);

#pragma clang assume_nonnull end
#endif
