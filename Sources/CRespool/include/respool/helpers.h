/* Parts that most plugins in C and C++ need: reference-counted memory, failures, options, tracks, a queue of packets,
   and the exported entry.  records.h has codec configuration records, and plugin.hpp classes for C++.

   Everything is in headers, for C11 and C++17, and is not part of the ABI.  Memory is allocated only by functions whose
   comment states it.  Functions that return a status fill in `error`. */
#ifndef RESPOOL_HELPERS_H
#define RESPOOL_HELPERS_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

/* The exported entry of a plugin: RSP_PLUGIN("mine", "1.0.0", "MIT", &encoder.head, &decoder.head) */
#define RSP_PLUGIN(name, version, license, ...)                                                                \
  static const rsp_factory *const rsp_plugin_factories[] = {__VA_ARGS__};                                      \
  static const rsp_plugin_info rsp_plugin_described = {                                                        \
      sizeof(rsp_plugin_info), sizeof rsp_plugin_factories / sizeof rsp_plugin_factories[0], name, version,    \
      license, rsp_plugin_factories};                                                                          \
  static const rsp_plugin_info *rsp_plugin_describe(const rsp_host *host) {                                    \
    rsp_plugin_host = host;                                                                                    \
    return &rsp_plugin_described;                                                                              \
  }                                                                                                            \
  RSP_EXPORT const rsp_plugin respool_plugin;                                                                  \
  const rsp_plugin respool_plugin = {sizeof(rsp_plugin), RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, rsp_plugin_describe}

/* The host, after the plugin has been described; NULL before. */
__attribute__((weak, visibility("hidden"))) const rsp_host *RSP_NULLABLE rsp_plugin_host;

/* Formats text, and cuts it to fit, before a character that does not fit as a whole. */
static inline void rsp_format(char *text, size_t size, const char *format, va_list arguments) {
  int length = vsnprintf(text, size, format, arguments);
  if (length < 0) text[0] = 0;
  if (length < 0 || (size_t)length < size) return;
  size_t end = size - 1, start = end;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
  if (start == 0) return;
  unsigned char lead = (unsigned char)text[start - 1];
  size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (start - 1 + needed > end) text[start - 1] = 0;
}

/* Logs a message at a level, RSP_LOG_ERROR to RSP_LOG_DEBUG. */
__attribute__((format(printf, 2, 3))) static inline void rsp_log(int32_t level, const char *format, ...) {
  char text[512];
  if (!rsp_plugin_host) return;
  va_list arguments;
  va_start(arguments, format);
  rsp_format(text, sizeof text, format, arguments);
  va_end(arguments);
  rsp_plugin_host->log(rsp_plugin_host->context, level, text);
}

/* Failures */

/* Fills in `error`, and returns `status`.  `offset` is in the source, in bytes; RSP_UNKNOWN: none.  `format` and what
   follows are as for printf: one sentence, what was found and what was expected. */
__attribute__((format(printf, 4, 5))) static inline rsp_status rsp_fail_at(rsp_error *RSP_NULLABLE error,
                                                                           rsp_status status, int64_t offset,
                                                                           const char *format, ...) {
  if (!error) return status;
  error->status = status;
  error->offset = offset;
  error->track = -1;
  va_list arguments;
  va_start(arguments, format);
  rsp_format(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

#define rsp_fail(error, status, ...) rsp_fail_at(error, status, RSP_UNKNOWN, __VA_ARGS__)

static inline rsp_status rsp_no_memory(rsp_error *RSP_NULLABLE error) {
  return rsp_fail(error, RSP_ERROR_PLUGIN, "out of memory");
}

/* Structs */

/* Copies a struct that begins with struct_size to memory whose struct_size is set: the fields that both sides have.
   Use it for structs that come from the host, and for results in memory of the host. */
static inline void rsp_copy(void *to, const void *from) {
  uint32_t size, other;
  memcpy(&size, to, sizeof size);
  memcpy(&other, from, sizeof other);
  if (other < size) size = other;
  if (size > sizeof size) memcpy((char *)to + sizeof size, (const char *)from + sizeof size, size - sizeof size);
}

/* Makes a track with nothing known.  `codec` must live as long as the track. */
static inline rsp_track rsp_new_track(uint32_t kind, const char *codec) {
  rsp_track track;
  memset(&track, 0, sizeof track);
  track.struct_size = sizeof track;
  track.kind = kind;
  track.id = 1;
  track.codec = codec;
  track.start = track.duration = RSP_NO_TIME;
  track.packet_count = RSP_UNKNOWN;
  track.profile = track.level = -1;
  return track;
}

/* Makes the track that an encoder of `codec` or a filter returns, from that of its settings: kind, size, color, rates,
   channels, formats and time base.  What belongs to the file is left out.  Points to nothing but `codec`. */
static inline rsp_track rsp_output_track(const rsp_track *from, const char *codec) {
  rsp_track track = rsp_new_track(from->kind, codec);
  track.time_base = from->time_base;
  track.width = from->width;
  track.height = from->height;
  track.sample_aspect = from->sample_aspect;
  track.frame_rate = from->frame_rate;
  track.base_frame_rate = from->base_frame_rate;
  track.pixel_format = from->pixel_format;
  track.field_order = from->field_order;
  track.color = from->color;
  memcpy(track.display_matrix, from->display_matrix, sizeof track.display_matrix);
  track.sample_rate = from->sample_rate;
  track.channels = from->channels;
  track.channel_mask = from->channel_mask;
  track.sample_format = from->sample_format;
  track.bits_per_sample = from->bits_per_sample;
  return track;
}

/* Times */

__extension__ typedef __int128 rsp_int128;

/* Converts a time to another time base, to the nearest unit.  RSP_NO_TIME stays, and so does a time whose base is
   unknown. */
static inline int64_t rsp_rescale(int64_t time, rsp_rational from, rsp_rational to) {
  if (time == RSP_NO_TIME || from.num < 1 || from.den < 1 || to.num < 1 || to.den < 1) return time;
  rsp_int128 value = (rsp_int128)time * from.num * to.den, unit = (rsp_int128)from.den * to.num;
  value = (value + (value < 0 ? -unit : unit) / 2) / unit;
  return value > INT64_MAX ? INT64_MAX : value < -INT64_MAX ? -INT64_MAX : (int64_t)value;
}

/* Memory */

/* Counted memory.  The bytes follow at the next multiple of RSP_ALIGNMENT. */
typedef struct rsp_block {
  uint32_t references;
} rsp_block;

#define RSP_ALIGNMENT 64u

static inline void rsp_block_retain(void *owner) {
  __atomic_fetch_add(&((rsp_block *)owner)->references, 1, __ATOMIC_RELAXED);
}

static inline void rsp_block_release(void *owner) {
  if (__atomic_fetch_sub(&((rsp_block *)owner)->references, 1, __ATOMIC_ACQ_REL) == 1) free(owner);
}

/* Allocates `size` bytes, which are not set, with one reference, aligned to RSP_ALIGNMENT.  `owner` is NULL if there is
   no memory. */
static inline rsp_buffer rsp_new_buffer(size_t size) {
  rsp_buffer buffer;
  memset(&buffer, 0, sizeof buffer);
  if (size > SIZE_MAX - 2 * RSP_ALIGNMENT) return buffer;
  size_t all = (RSP_ALIGNMENT + size + RSP_ALIGNMENT - 1) / RSP_ALIGNMENT * RSP_ALIGNMENT;
  rsp_block *block = (rsp_block *)aligned_alloc(RSP_ALIGNMENT, all);
  if (!block) return buffer;
  block->references = 1;
  buffer.data = (uint8_t *)block + RSP_ALIGNMENT;
  buffer.size = size;
  buffer.owner = block;
  buffer.retain = rsp_block_retain;
  buffer.release = rsp_block_release;
  return buffer;
}

/* Allocates a copy of `size` bytes, as rsp_new_buffer does. */
static inline rsp_buffer rsp_copy_buffer(const void *RSP_NULLABLE bytes, size_t size) {
  rsp_buffer buffer = rsp_new_buffer(size);
  if (buffer.owner && size > 0) memcpy(buffer.data, bytes, size);
  return buffer;
}

/* Adds a reference to a buffer that is lent, and returns it; allocates a copy if the bytes are valid only for the call.
   `owner` is NULL if there is no memory. */
static inline rsp_buffer rsp_retain_buffer(const rsp_buffer *buffer) {
  if (!buffer->owner) return rsp_copy_buffer(buffer->data, buffer->size);
  buffer->retain(buffer->owner);
  return *buffer;
}

/* Drops the reference, and empties the buffer. */
static inline void rsp_release_buffer(rsp_buffer *buffer) {
  if (buffer->owner) buffer->release(buffer->owner);
  memset(buffer, 0, sizeof *buffer);
}

/* Audio frames */

/* Returns the bytes of one audio sample of one channel; 0: unknown format. */
static inline size_t rsp_sample_size(rsp_sample_format format) {
  static const uint8_t sizes[] = {0, 1, 2, 4, 4, 8, 1, 2, 4, 4, 8};
  return format < sizeof sizes ? sizes[format] : 0;
}

/* Makes an audio frame like `track`, and allocates its memory.  Interleaved: plane[0]; planar: channel c is at
   plane[0] + c * stride[0].  buffer.owner is NULL if there is no memory or the format is unknown. */
static inline rsp_frame rsp_new_audio_frame(const rsp_track *track, uint32_t sample_count, int64_t pts) {
  rsp_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.struct_size = sizeof frame;
  frame.kind = RSP_KIND_AUDIO;
  frame.pts = pts;
  frame.format = track->sample_format;
  frame.sample_rate = track->sample_rate;
  frame.channels = track->channels;
  frame.channel_mask = track->channel_mask;
  frame.sample_count = sample_count;
  size_t size = rsp_sample_size(frame.format) * sample_count;
  if (size == 0 || frame.channels == 0 || frame.channels > RSP_MAX_CHANNELS) return frame;
  frame.plane_count = frame.format >= RSP_SAMPLE_U8P ? frame.channels : 1;
  if (frame.plane_count == 1) size *= frame.channels;
  frame.buffer = rsp_new_buffer(size * frame.plane_count);
  for (uint32_t i = 0; frame.buffer.owner && i < frame.plane_count && i < RSP_MAX_PLANES; i++) {
    frame.plane[i] = frame.buffer.data + i * size;
    frame.stride[i] = (ptrdiff_t)size;
  }
  return frame;
}

/* Video frames */

/* Finds the size of a plane without padding: the bytes of a row and the number of rows.  Returns 0 if the format has no
   such plane or is unknown, and for formats with less than a byte for a pixel and PAL8. */
static inline int rsp_plane_size(rsp_pixel_format format, uint32_t plane, uint32_t width, uint32_t height, size_t *row,
                                 size_t *rows) {
  /* Number of planes, bytes of a pixel in planes 0 and 3, shifts of the chroma's width and height, bytes of a chroma
     pixel. */
  static const struct {
    uint8_t planes, bytes, x, y, chroma;
  } layouts[RSP_PIXEL_COUNT] = {
      {0, 0, 0, 0, 0}, {3, 1, 1, 1, 1}, {3, 1, 1, 0, 1}, {3, 1, 0, 0, 1}, {3, 1, 2, 2, 1}, {3, 1, 2, 0, 1},
      {3, 1, 0, 1, 1}, {4, 1, 1, 1, 1}, {4, 1, 1, 0, 1}, {4, 1, 0, 0, 1}, {3, 2, 1, 1, 2}, {3, 2, 1, 0, 2},
      {3, 2, 0, 0, 2}, {3, 2, 1, 1, 2}, {3, 2, 1, 0, 2}, {3, 2, 0, 0, 2}, {3, 2, 0, 1, 2}, {3, 2, 1, 1, 2},
      {3, 2, 1, 0, 2}, {3, 2, 0, 0, 2}, {3, 2, 0, 1, 2}, {3, 2, 1, 1, 2}, {3, 2, 1, 0, 2}, {3, 2, 0, 0, 2},
      {3, 2, 1, 1, 2}, {3, 2, 1, 0, 2}, {3, 2, 0, 0, 2}, {4, 2, 1, 1, 2}, {4, 2, 1, 0, 2}, {4, 2, 0, 0, 2},
      {4, 2, 1, 0, 2}, {4, 2, 0, 0, 2}, {4, 2, 1, 1, 2}, {4, 2, 1, 0, 2}, {4, 2, 0, 0, 2}, {2, 1, 1, 1, 2},
      {2, 1, 1, 1, 2}, {2, 1, 1, 0, 2}, {2, 1, 0, 0, 2}, {2, 2, 1, 1, 4}, {2, 2, 1, 1, 4}, {2, 2, 1, 0, 4},
      {1, 2, 1, 0, 0}, {1, 2, 1, 0, 0}, {1, 2, 1, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0},
      {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 4, 0, 0, 0},
      {1, 4, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 3, 0, 0, 0}, {1, 3, 0, 0, 0},
      {1, 4, 0, 0, 0}, {1, 4, 0, 0, 0}, {1, 4, 0, 0, 0}, {1, 4, 0, 0, 0}, {1, 4, 0, 0, 0}, {1, 4, 0, 0, 0},
      {1, 4, 0, 0, 0}, {1, 4, 0, 0, 0}, {1, 6, 0, 0, 0}, {1, 6, 0, 0, 0}, {1, 6, 0, 0, 0}, {1, 8, 0, 0, 0},
      {1, 8, 0, 0, 0}, {1, 8, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 2, 0, 0, 0}, {3, 1, 0, 0, 1}, {3, 2, 0, 0, 2},
      {3, 2, 0, 0, 2}, {3, 2, 0, 0, 2}, {3, 2, 0, 0, 2}, {3, 2, 0, 0, 2}, {4, 1, 0, 0, 1}, {4, 2, 0, 0, 2},
      {4, 2, 0, 0, 2}, {4, 2, 0, 0, 2}, {1, 4, 0, 0, 0}, {3, 4, 0, 0, 4}, {4, 4, 0, 0, 4}};
  if (format >= RSP_PIXEL_COUNT || plane >= layouts[format].planes) return 0;
  int is_chroma = plane == 1 || plane == 2, x = layouts[format].x, y = is_chroma ? layouts[format].y : 0;
  if (is_chroma) {
    *row = (((size_t)width + (1u << x) - 1) >> x) * layouts[format].chroma;
  } else {
    size_t odd = layouts[format].planes == 1 && x ? width & 1 : 0; /* packed 4:2:2 has pairs of pixels */
    *row = (width + odd) * layouts[format].bytes;
  }
  *rows = ((size_t)height + (1u << y) - 1) >> y;
  return 1;
}

/* Makes a video frame like `track`, and allocates its memory, with rows aligned to RSP_ALIGNMENT.  buffer.owner is NULL
   if there is no memory, for a format without rsp_plane_size, and for a width or height outside 1 to 32,768. */
static inline rsp_frame rsp_new_video_frame(const rsp_track *track, int64_t pts) {
  rsp_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.struct_size = sizeof frame;
  frame.kind = RSP_KIND_VIDEO;
  frame.pts = pts;
  frame.format = track->pixel_format;
  frame.width = track->width;
  frame.height = track->height;
  frame.sample_aspect = track->sample_aspect;
  frame.color = track->color;
  if (frame.width < 1 || frame.width > 32768 || frame.height < 1 || frame.height > 32768) return frame;
  size_t row, rows, offsets[4], all = 0;
  for (uint32_t i = 0; i < 4 && rsp_plane_size(frame.format, i, frame.width, frame.height, &row, &rows); i++) {
    frame.stride[i] = (ptrdiff_t)((row + RSP_ALIGNMENT - 1) / RSP_ALIGNMENT * RSP_ALIGNMENT);
    offsets[i] = all;
    all += (size_t)frame.stride[i] * rows;
    frame.plane_count = i + 1;
  }
  if (all == 0) return frame;
  frame.buffer = rsp_new_buffer(all);
  for (uint32_t i = 0; frame.buffer.owner && i < frame.plane_count; i++) frame.plane[i] = frame.buffer.data + offsets[i];
  return frame;
}

/* Side data */

/* A view of bytes that belong to someone else. */
typedef struct rsp_bytes {
  const uint8_t *RSP_NULLABLE data;
  size_t size;
} rsp_bytes;

static inline rsp_bytes rsp_view(const uint8_t *RSP_NULLABLE data, size_t size) {
  rsp_bytes bytes;
  bytes.data = data;
  bytes.size = size;
  return bytes;
}

/* Finds side data of a track, a packet (`records`) or a frame by its type, such as
   RSP_SIDE_DATA_TYPE('m', 'd', 'c', 'v').  Its `data` is NULL if there is none. */
static inline rsp_bytes rsp_find_side_data(const rsp_side_data *RSP_NULLABLE const *RSP_NULLABLE list, uint32_t count,
                                           uint32_t type) {
  for (uint32_t i = 0; list && i < count; i++)
    if (list[i]->type == type) return rsp_view(list[i]->data, list[i]->size);
  return rsp_view(NULL, 0);
}

/* Options */

/* Returns the text of an option; `otherwise` if it is not set. */
static inline const char *RSP_NULLABLE rsp_option_text(const rsp_options *options, const char *name,
                                                       const char *RSP_NULLABLE otherwise) {
  for (uint32_t i = options->count; i > 0; i--) { /* the last one counts */
    const rsp_text *option = RSP_AT(rsp_text, options->values, options->value_size, i - 1);
    if (strcmp(option->name, name) == 0) return option->value;
  }
  return otherwise;
}

static inline int64_t rsp_option_int(const rsp_options *options, const char *name, int64_t otherwise) {
  const char *text = rsp_option_text(options, name, NULL);
  char *end = NULL;
  if (!text || !*text) return otherwise;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return *end || errno ? otherwise : (int64_t)value;
}

/* Reads a number with "." as decimal point, in every locale. */
static inline double rsp_option_number(const rsp_options *options, const char *name, double otherwise) {
  const char *text = rsp_option_text(options, name, NULL);
  char copy[64], sample[8], *end = NULL;
  if (!text || !*text || strlen(text) >= sizeof copy) return otherwise;
  memcpy(copy, text, strlen(text) + 1);
  snprintf(sample, sizeof sample, "%.1f", 0.5);
  for (char *c = copy; *c; c++)
    if (*c == '.') *c = sample[1];
  double value = strtod(copy, &end);
  return *end ? otherwise : value;
}

/* Returns 1 for "true", 0 for "false". */
static inline int rsp_option_bool(const rsp_options *options, const char *name, int otherwise) {
  const char *text = rsp_option_text(options, name, NULL);
  if (!text) return otherwise;
  return strcmp(text, "true") == 0 ? 1 : strcmp(text, "false") == 0 ? 0 : otherwise;
}

/* Returns the index of the value in `choices`, which ends with NULL; `otherwise` if it is not set. */
static inline int rsp_option_choice(const rsp_options *options, const char *name,
                                    const char *RSP_NULLABLE const *RSP_NONNULL choices, int otherwise) {
  const char *text = rsp_option_text(options, name, NULL);
  for (int i = 0; text && choices[i]; i++)
    if (strcmp(choices[i], text) == 0) return i;
  return otherwise;
}

/* Packets */

/* Makes a packet of a track; the packet takes over the reference of `buffer`. */
static inline rsp_packet rsp_new_packet(rsp_buffer buffer, int64_t pts, int64_t dts, int64_t duration, uint32_t flags) {
  rsp_packet packet;
  memset(&packet, 0, sizeof packet);
  packet.struct_size = sizeof packet;
  packet.pts = pts;
  packet.dts = dts;
  packet.duration = duration;
  packet.flags = flags;
  packet.buffer = buffer;
  return packet;
}

/* A first-in, first-out queue of packets that owns a reference to the buffer of each.  All 0: empty.  Side data and
   records are only pointers: they must stay valid until the packet has left the queue. */
typedef struct rsp_packet_queue {
  rsp_packet *RSP_NULLABLE packets;
  size_t capacity, first, count;
} rsp_packet_queue;

/* Adds a packet, and takes over its reference, also after an error.  Allocates memory if the queue is full. */
static inline rsp_status rsp_queue_push(rsp_packet_queue *queue, const rsp_packet *packet,
                                        rsp_error *RSP_NULLABLE error) {
  if (queue->count == queue->capacity) {
    size_t capacity = queue->capacity ? 2 * queue->capacity : 8;
    rsp_packet *packets =
        capacity > SIZE_MAX / sizeof *packets ? NULL : (rsp_packet *)malloc(capacity * sizeof *packets);
    if (!packets) {
      if (packet->buffer.owner) packet->buffer.release(packet->buffer.owner);
      return rsp_no_memory(error);
    }
    for (size_t i = 0; i < queue->count; i++) packets[i] = queue->packets[(queue->first + i) % queue->capacity];
    free(queue->packets);
    queue->packets = packets;
    queue->capacity = capacity;
    queue->first = 0;
  }
  rsp_packet *last = &queue->packets[(queue->first + queue->count++) % queue->capacity];
  memset(last, 0, sizeof *last);
  last->struct_size = sizeof *last;
  rsp_copy(last, packet);
  return RSP_OK;
}

/* Returns the packet that was added last, so that fields such as trim_end can be set; NULL: the queue is empty.  It is
   valid until the next call on the queue. */
static inline rsp_packet *RSP_NULLABLE rsp_queue_last(rsp_packet_queue *queue) {
  return queue->count ? &queue->packets[(queue->first + queue->count - 1) % queue->capacity] : NULL;
}

/* Moves the first packet to `packet`, whose struct_size is set, with its reference.  RSP_OK or RSP_AGAIN: empty. */
static inline rsp_status rsp_queue_pop(rsp_packet_queue *queue, rsp_packet *packet) {
  if (queue->count == 0) return RSP_AGAIN;
  rsp_copy(packet, &queue->packets[queue->first]);
  queue->first = (queue->first + 1) % queue->capacity;
  queue->count--;
  return RSP_OK;
}

/* Releases all packets and the memory of the queue, which is empty afterwards. */
static inline void rsp_queue_free(rsp_packet_queue *queue) {
  for (size_t i = 0; i < queue->count; i++)
    rsp_release_buffer(&queue->packets[(queue->first + i) % queue->capacity].buffer);
  free(queue->packets);
  memset(queue, 0, sizeof *queue);
}

/* Numbers in bytes */

/* Reads `count` bytes, at most 8, the lowest first. */
static inline uint64_t rsp_load_le(const uint8_t *bytes, int count) {
  uint64_t value = 0;
  for (int i = count; i > 0; i--) value = value << 8 | bytes[i - 1];
  return value;
}

/* Reads `count` bytes, at most 8, the highest first. */
static inline uint64_t rsp_load_be(const uint8_t *bytes, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value = value << 8 | bytes[i];
  return value;
}

static inline void rsp_store_le(uint8_t *bytes, uint64_t value, int count) {
  for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(value >> (8 * i));
}

static inline void rsp_store_be(uint8_t *bytes, uint64_t value, int count) {
  for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(value >> (8 * (count - 1 - i)));
}

/* Files */

/* Reads exactly `count` bytes of the source.  RSP_ERROR_MALFORMED if it ends before. */
static inline rsp_status rsp_read_exactly(const rsp_source *source, int64_t offset, void *bytes, size_t count,
                                          rsp_error *RSP_NULLABLE error) {
  int64_t got = source->read_at(source->context, offset, bytes, count);
  if (got < 0) return rsp_fail_at(error, (rsp_status)got, offset, "the source could not be read");
  if ((uint64_t)got == count) return RSP_OK;
  rsp_status status = rsp_fail_at(error, RSP_ERROR_MALFORMED, offset,
                                  "%zu bytes are needed, but the source ends after %lld", count, (long long)got);
  if (error) error->facts |= RSP_ERROR_ENDS_EARLY;
  return status;
}

static inline rsp_status rsp_write(const rsp_sink *sink, const void *bytes, size_t count,
                                   rsp_error *RSP_NULLABLE error) {
  rsp_status status = sink->write(sink->context, bytes, count);
  return status < 0 ? rsp_fail(error, status, "the output could not be written") : RSP_OK;
}

static inline rsp_status rsp_write_payload(const rsp_sink *sink, const rsp_packet *packet,
                                           rsp_error *RSP_NULLABLE error) {
  rsp_status status = sink->write_payload(sink->context, packet);
  return status < 0 ? rsp_fail(error, status, "the output could not be written") : RSP_OK;
}

/* Returns the size of the payload, bytes or range. */
static inline size_t rsp_payload_size(const rsp_packet *packet) {
  return packet->buffer.data ? packet->buffer.size : packet->range_length > 0 ? (size_t)packet->range_length : 0;
}

RSP_NONNULL_END
RSP_C_END

#endif
