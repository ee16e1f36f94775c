/* Errors, bytes and counted memory. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

/* Width below which encoders of video refuse to open. */
#ifndef MINIMUM_WIDTH
#define MINIMUM_WIDTH 1
#endif

static rsp_status fail(rsp_error *error, rsp_status status, const char *message) {
  if (HAS(error_unknown)) status = -77;
  error->status = status;
  error->offset = -1;
  error->track = -1;
  if (!HAS(error_without_message)) snprintf(error->message, sizeof error->message, "%s", message);
  return status;
}

static void hang(void) {
  for (;;) sleep(1);
}

static uint64_t load(const uint8_t *bytes, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static void store(uint8_t *bytes, uint64_t value, int count) {
  for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(value >> (8 * i));
}

/* Counted memory of frames and packets. */
typedef struct {
  atomic_uint references;
  uint8_t *bytes;
} block;

static void retain(void *owner) { atomic_fetch_add(&((block *)owner)->references, 1); }

static void release(void *owner) {
  block *b = owner;
  if (atomic_fetch_sub(&b->references, 1) != 1) return;
  free(b->bytes);
  free(b);
}

static rsp_buffer new_buffer(size_t size) {
  block *b = malloc(sizeof *b);
  b->bytes = malloc(size + 1);
  atomic_init(&b->references, 1);
  return (rsp_buffer){b->bytes, size, b, retain, release};
}

/* The planes of a frame without padding. */
typedef struct {
  int count;
  uint32_t width[3], height[3];
  size_t size;
} planes;

static planes planes_of(uint32_t format, uint32_t width, uint32_t height) {
  planes p = {3, {width, width, width}, {height, height, height}, 0};
  if (format == RSP_PIXEL_YUV420P) {
    for (int i = 1; i < 3; i++) {
      p.width[i] = HAS(chroma_rounded_down) ? width / 2 : (width + 1) / 2;
      p.height[i] = HAS(chroma_rounded_down) ? height / 2 : (height + 1) / 2;
    }
  }
  for (int i = 0; i < 3; i++) p.size += (size_t)p.width[i] * p.height[i];
  return p;
}

/* Copies a frame to bytes without padding. */
static void pack(const rsp_frame *frame, const planes *p, uint8_t *to) {
  for (int i = 0; i < 3; i++) {
    int plane = HAS(planes_swapped) && i > 0 ? 3 - i : i;
    ptrdiff_t stride = frame->stride[plane];
    if (HAS(stride_ignored)) stride = stride < 0 ? -(ptrdiff_t)p->width[i] : (ptrdiff_t)p->width[i];
    if (HAS(negative_stride_ignored) && stride < 0) stride = -stride;
    uint32_t rows = p->height[i], width = p->width[i];
    if (HAS(reads_past_last_row)) { /* whole macroblocks */
      volatile uint8_t sum = 0;
      for (uint32_t row = rows; row < (rows + 15) / 16 * 16 + 1; row++) sum += frame->plane[plane][row * stride];
    }
    if (HAS(reads_past_odd_width)) {
      volatile uint8_t sum = 0;
      for (uint32_t row = 0; row < rows; row++) sum += frame->plane[plane][row * stride + ((width + 7) / 8 * 8 - 1)];
    }
    for (uint32_t row = 0; row < rows; row++, to += width) {
      memcpy(to, frame->plane[plane] + (ptrdiff_t)row * stride, width);
      if (HAS(frame_written) && row == 0) frame->plane[plane][0] = 0; /* as a filter in place would */
    }
  }
}

static void begin_track(rsp_track *track, uint32_t kind, const char *codec) {
  memset(track, 0, sizeof *track);
  track->struct_size = sizeof *track;
  track->kind = kind;
  track->id = 1;
  track->codec = codec;
  track->start = RSP_NO_TIME;
  track->duration = RSP_NO_TIME;
  track->packet_count = RSP_UNKNOWN;
  track->profile = track->level = -1;
}
