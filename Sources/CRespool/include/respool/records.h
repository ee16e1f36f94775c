/* Codec configuration records: avcC and hvcC (ISO/IEC 14496-15) and av1C (AV1 Codec ISO Media File Format Binding), and
   the units of which packets consist: NAL units and OBUs.

   A record is a struct of numbers and of views into bytes that the caller keeps.  Nothing is allocated.
     parse     bytes to struct; RSP_ERROR_MALFORMED with the offset if the bytes are not a record
     describe  sets the numbers from the parameter sets or the sequence header, for an encoder
     write     struct to bytes; returns the size, and writes only if it is not greater than `capacity`; 0: a value does
               not fit into the record */
#ifndef RESPOOL_RECORDS_H
#define RESPOOL_RECORDS_H

#include "helpers.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

/* NAL units */

/* Finds the next NAL unit of an Annex B stream, from `*position` on, which starts at 0.  Returns 0 at the end. */
static inline int rsp_annexb_next(rsp_bytes stream, size_t *position, rsp_bytes *unit) {
  for (size_t at = *position;;) {
    while (at + 3 <= stream.size && (stream.data[at] | stream.data[at + 1] | (stream.data[at + 2] ^ 1)) != 0) at++;
    if (at + 3 >= stream.size) return 0;
    size_t start = at + 3, end = start;
    while (end < stream.size && !(end + 3 <= stream.size && stream.data[end] == 0 && stream.data[end + 1] == 0 &&
                                  stream.data[end + 2] <= 1))
      end++;
    *position = at = end;
    while (end > start && stream.data[end - 1] == 0) end--; /* trailing_zero_8bits */
    *unit = rsp_view(stream.data + start, end - start);
    if (end > start) return 1;
  }
}

/* Converts an Annex B stream to units with lengths of 4 bytes.  Returns the size, and writes only if it is not greater
   than `capacity`. */
static inline size_t rsp_annexb_to_lengths(rsp_bytes stream, uint8_t *RSP_NULLABLE out, size_t capacity) {
  size_t size = 0;
  for (int writes = 0; writes < 2; writes++) {
    size_t position = 0, at = 0;
    rsp_bytes unit;
    if (writes && (!out || size > capacity)) break;
    while (rsp_annexb_next(stream, &position, &unit)) {
      if (writes) {
        rsp_store_be(out + at, unit.size, 4);
        memcpy(out + at + 4, unit.data, unit.size);
      }
      at += 4 + unit.size;
    }
    size = at;
  }
  return size;
}

/* Bits */

/* Bits of a NAL unit, without its emulation prevention bytes, or of an OBU.  After the end, bits are 0. */
typedef struct rsp_bits {
  rsp_bytes bytes;
  size_t next;
  uint32_t byte;
  int left, zeros, is_nal;
  int is_over; /* more was read than there is */
} rsp_bits;

static inline rsp_bits rsp_begin_bits(rsp_bytes bytes, int is_nal) {
  rsp_bits bits;
  memset(&bits, 0, sizeof bits);
  bits.bytes = bytes;
  bits.is_nal = is_nal;
  return bits;
}

/* Reads `count` bits, at most 64. */
static inline uint64_t rsp_read_bits(rsp_bits *bits, int count) {
  uint64_t value = 0;
  for (; count > 0; count--) {
    if (bits->left == 0) {
      if (bits->is_nal && bits->zeros >= 2 && bits->next < bits->bytes.size && bits->bytes.data[bits->next] == 3) {
        bits->next++;
        bits->zeros = 0;
      }
      if (bits->next >= bits->bytes.size) {
        bits->is_over = 1;
        return 0;
      }
      bits->byte = bits->bytes.data[bits->next++];
      bits->zeros = bits->byte ? 0 : bits->zeros + 1;
      bits->left = 8;
    }
    value = value << 1 | (bits->byte >> --bits->left & 1);
  }
  return value;
}

/* Reads an Exp-Golomb code, which is also uvlc() of AV1. */
static inline uint32_t rsp_read_ue(rsp_bits *bits) {
  int zeros = 0;
  while (zeros < 32 && !bits->is_over && rsp_read_bits(bits, 1) == 0) zeros++;
  if (zeros >= 32) return UINT32_MAX;
  return (uint32_t)(((uint64_t)1 << zeros) - 1 + rsp_read_bits(bits, zeros));
}

/* Takes `count` bytes of a record; sets `*is_over` if there are fewer. */
static inline const uint8_t *RSP_NULLABLE rsp_take(rsp_bytes record, size_t *at, size_t count, int *is_over) {
  if (*is_over || count > record.size - *at) {
    *is_over = 1;
    return NULL;
  }
  *at += count;
  return record.data + *at - count;
}

/* Takes a unit after its length of 2 bytes. */
static inline int rsp_take_unit(rsp_bytes record, size_t *at, rsp_bytes *unit) {
  int is_over = 0;
  const uint8_t *length = rsp_take(record, at, 2, &is_over);
  size_t size = length ? (size_t)rsp_load_be(length, 2) : 0;
  *unit = rsp_view(rsp_take(record, at, size, &is_over), size);
  return !is_over && size > 0;
}

static inline rsp_status rsp_bad_record(rsp_error *RSP_NULLABLE error, const char *name, size_t at) {
  return rsp_fail_at(error, RSP_ERROR_MALFORMED, (int64_t)at, "%s is damaged or ends early at byte %zu", name, at);
}

/* avcC: AVCDecoderConfigurationRecord, ISO/IEC 14496-15 5.3.3.1 */
typedef struct rsp_avc_record {
  uint8_t profile, compatibility, level;
  uint8_t length_size; /* bytes of the length before each NAL unit in packets: 1, 2 or 4 */
  uint8_t has_format;  /* 1: the next three are stored, as profiles other than 66, 77 and 88 do */
  uint8_t chroma_format, luma_bits, chroma_bits;
  uint8_t sps_count, pps_count, extension_count;
  rsp_bytes sps[31], pps[255], extensions[255]; /* NAL units without length or start code */
} rsp_avc_record;

static inline rsp_status rsp_avc_parse(rsp_bytes bytes, rsp_avc_record *record, rsp_error *RSP_NULLABLE error) {
  size_t at = 0;
  int is_over = 0;
  memset(record, 0, sizeof *record);
  const uint8_t *head = rsp_take(bytes, &at, 6, &is_over);
  if (!head || head[0] != 1 || (head[4] & 3) == 2) return rsp_bad_record(error, "avcC", 0);
  record->profile = head[1];
  record->compatibility = head[2];
  record->level = head[3];
  record->length_size = (uint8_t)((head[4] & 3) + 1);
  record->sps_count = head[5] & 31;
  for (int i = 0; i < record->sps_count; i++)
    if (!rsp_take_unit(bytes, &at, &record->sps[i])) return rsp_bad_record(error, "avcC", at);
  const uint8_t *count = rsp_take(bytes, &at, 1, &is_over);
  record->pps_count = count ? *count : 0;
  for (int i = 0; i < record->pps_count; i++)
    if (!rsp_take_unit(bytes, &at, &record->pps[i])) return rsp_bad_record(error, "avcC", at);
  if (is_over) return rsp_bad_record(error, "avcC", at);
  if (record->profile == 66 || record->profile == 77 || record->profile == 88 || bytes.size - at < 4) return RSP_OK;
  const uint8_t *format = rsp_take(bytes, &at, 4, &is_over);
  record->has_format = 1;
  record->chroma_format = format[0] & 3;
  record->luma_bits = (uint8_t)((format[1] & 7) + 8);
  record->chroma_bits = (uint8_t)((format[2] & 7) + 8);
  record->extension_count = format[3];
  for (int i = 0; i < record->extension_count; i++)
    if (!rsp_take_unit(bytes, &at, &record->extensions[i])) return rsp_bad_record(error, "avcC", at);
  return RSP_OK;
}

/* Sets everything but the lists from sps[0], with lengths of 4 bytes. */
static inline rsp_status rsp_avc_describe(rsp_avc_record *record, rsp_error *RSP_NULLABLE error) {
  if (record->sps_count == 0 || record->pps_count == 0 || record->sps[0].size < 4 || (*record->sps[0].data & 31) != 7)
    return rsp_fail(error, RSP_ERROR_MALFORMED, "avcC needs an SPS (NAL unit type 7) and a PPS (type 8)");
  rsp_bits bits = rsp_begin_bits(rsp_view(record->sps[0].data + 1, record->sps[0].size - 1), 1);
  record->profile = (uint8_t)rsp_read_bits(&bits, 8);
  record->compatibility = (uint8_t)rsp_read_bits(&bits, 8);
  record->level = (uint8_t)rsp_read_bits(&bits, 8);
  record->length_size = 4;
  record->has_format = record->profile != 66 && record->profile != 77 && record->profile != 88;
  record->chroma_format = 1;
  record->luma_bits = record->chroma_bits = 8;
  rsp_read_ue(&bits); /* seq_parameter_set_id */
  if (!record->has_format) return RSP_OK;
  uint32_t chroma = rsp_read_ue(&bits);
  if (chroma == 3) rsp_read_bits(&bits, 1); /* separate_colour_plane_flag */
  uint32_t luma_depth = rsp_read_ue(&bits), chroma_depth = rsp_read_ue(&bits);
  if (bits.is_over || chroma > 3 || luma_depth > 6 || chroma_depth > 6)
    return rsp_fail(error, RSP_ERROR_MALFORMED, "the SPS ends early or has an unknown format");
  record->chroma_format = (uint8_t)chroma;
  record->luma_bits = (uint8_t)(8 + luma_depth);
  record->chroma_bits = (uint8_t)(8 + chroma_depth);
  return RSP_OK;
}

/* The output of the functions that write: counts, and stores what fits. */
typedef struct rsp_output {
  uint8_t *RSP_NULLABLE bytes;
  size_t capacity, size;
  int is_invalid;
} rsp_output;

static inline rsp_output rsp_begin_output(uint8_t *RSP_NULLABLE bytes, size_t capacity) {
  rsp_output out;
  memset(&out, 0, sizeof out);
  out.bytes = bytes;
  out.capacity = bytes ? capacity : 0;
  return out;
}

static inline void rsp_put(rsp_output *out, uint64_t value, int count) {
  if (out->size + (size_t)count <= out->capacity) rsp_store_be(out->bytes + out->size, value, count);
  out->size += (size_t)count;
}

static inline void rsp_put_bytes(rsp_output *out, rsp_bytes bytes) {
  if (bytes.size > 0 && out->size + bytes.size <= out->capacity)
    memcpy(out->bytes + out->size, bytes.data, bytes.size);
  out->size += bytes.size;
}

static inline void rsp_put_units(rsp_output *out, const rsp_bytes *units, int count) {
  for (int i = 0; i < count; i++) {
    if (units[i].size == 0 || units[i].size > 0xFFFF) out->is_invalid = 1;
    rsp_put(out, units[i].size, 2);
    rsp_put_bytes(out, units[i]);
  }
}

static inline size_t rsp_avc_write(const rsp_avc_record *record, uint8_t *RSP_NULLABLE bytes, size_t capacity) {
  rsp_output out = rsp_begin_output(bytes, capacity);
  if (record->length_size != 1 && record->length_size != 2 && record->length_size != 4) return 0;
  if (record->sps_count > 31) return 0;
  rsp_put(&out, 1, 1);
  rsp_put(&out, record->profile, 1);
  rsp_put(&out, record->compatibility, 1);
  rsp_put(&out, record->level, 1);
  rsp_put(&out, 0xFCu | (record->length_size - 1u), 1);
  rsp_put(&out, 0xE0u | record->sps_count, 1);
  rsp_put_units(&out, record->sps, record->sps_count);
  rsp_put(&out, record->pps_count, 1);
  rsp_put_units(&out, record->pps, record->pps_count);
  if (record->has_format) {
    rsp_put(&out, 0xFCu | record->chroma_format, 1);
    rsp_put(&out, 0xF8u | (record->luma_bits - 8u), 1);
    rsp_put(&out, 0xF8u | (record->chroma_bits - 8u), 1);
    rsp_put(&out, record->extension_count, 1);
    rsp_put_units(&out, record->extensions, record->extension_count);
  }
  return out.is_invalid ? 0 : out.size;
}

/* hvcC: HEVCDecoderConfigurationRecord, ISO/IEC 14496-15 8.3.3.1 */
#define RSP_HEVC_UNITS 64
typedef struct rsp_hevc_unit {
  rsp_bytes bytes;     /* the NAL unit without length or start code */
  uint8_t type;        /* 32 VPS, 33 SPS, 34 PPS, 39 SEI */
  uint8_t is_complete; /* 1: packets have no units of this type */
} rsp_hevc_unit;

typedef struct rsp_hevc_record {
  uint8_t profile; /* general_profile_space, general_tier_flag and general_profile_idc */
  uint8_t level;
  uint16_t segmentation; /* min_spatial_segmentation_idc */
  uint32_t compatibility;
  uint64_t constraints;  /* 48 bits */
  uint8_t parallelism, chroma_format, luma_bits, chroma_bits;
  uint16_t average_frame_rate;
  uint8_t constant_frame_rate, temporal_layers, temporal_nested;
  uint8_t length_size; /* bytes of the length before each NAL unit in packets: 1, 2 or 4 */
  uint32_t unit_count;
  rsp_hevc_unit units[RSP_HEVC_UNITS]; /* units of one type follow each other */
} rsp_hevc_record;

static inline rsp_status rsp_hevc_parse(rsp_bytes bytes, rsp_hevc_record *record, rsp_error *RSP_NULLABLE error) {
  size_t at = 0;
  int is_over = 0;
  memset(record, 0, sizeof *record);
  const uint8_t *head = rsp_take(bytes, &at, 23, &is_over);
  if (!head || head[0] != 1 || (head[21] & 3) == 2) return rsp_bad_record(error, "hvcC", 0);
  record->profile = head[1];
  record->compatibility = (uint32_t)rsp_load_be(head + 2, 4);
  record->constraints = rsp_load_be(head + 6, 6);
  record->level = head[12];
  record->segmentation = (uint16_t)(rsp_load_be(head + 13, 2) & 0xFFF);
  record->parallelism = head[15] & 3;
  record->chroma_format = head[16] & 3;
  record->luma_bits = (uint8_t)((head[17] & 7) + 8);
  record->chroma_bits = (uint8_t)((head[18] & 7) + 8);
  record->average_frame_rate = (uint16_t)rsp_load_be(head + 19, 2);
  record->constant_frame_rate = head[21] >> 6;
  record->temporal_layers = head[21] >> 3 & 7;
  record->temporal_nested = head[21] >> 2 & 1;
  record->length_size = (uint8_t)((head[21] & 3) + 1);
  for (int arrays = head[22]; arrays > 0; arrays--) {
    const uint8_t *array = rsp_take(bytes, &at, 3, &is_over);
    if (!array) return rsp_bad_record(error, "hvcC", at);
    for (uint64_t count = rsp_load_be(array + 1, 2); count > 0; count--) {
      if (record->unit_count == RSP_HEVC_UNITS)
        return rsp_fail(error, RSP_ERROR_LIMIT, "hvcC has more than %d NAL units", RSP_HEVC_UNITS);
      rsp_hevc_unit *unit = &record->units[record->unit_count++];
      if (!rsp_take_unit(bytes, &at, &unit->bytes)) return rsp_bad_record(error, "hvcC", at);
      unit->type = array[0] & 63;
      unit->is_complete = array[0] >> 7;
    }
  }
  return RSP_OK;
}

/* Adds a NAL unit.  Units are added in the order VPS, SPS, PPS, SEI. */
static inline rsp_status rsp_hevc_add(rsp_hevc_record *record, rsp_bytes bytes, rsp_error *RSP_NULLABLE error) {
  if (record->unit_count >= RSP_HEVC_UNITS || bytes.size < 2 || bytes.size > 0xFFFF)
    return rsp_fail(error, RSP_ERROR_LIMIT, "hvcC cannot store one more NAL unit of %zu bytes", bytes.size);
  rsp_hevc_unit *unit = &record->units[record->unit_count++];
  unit->bytes = bytes;
  unit->type = bytes.data[0] >> 1 & 63;
  unit->is_complete = unit->type >= 32 && unit->type <= 34;
  return RSP_OK;
}

/* Sets everything but the list from the first SPS (ITU-T H.265 7.3.2.2), with lengths of 4 bytes. */
static inline rsp_status rsp_hevc_describe(rsp_hevc_record *record, rsp_error *RSP_NULLABLE error) {
  const rsp_hevc_unit *sps = NULL;
  for (uint32_t i = 0; i < record->unit_count && !sps; i++)
    if (record->units[i].type == 33) sps = &record->units[i];
  if (!sps || sps->bytes.size < 3)
    return rsp_fail(error, RSP_ERROR_MALFORMED, "hvcC needs an SPS (NAL unit type 33)");
  rsp_bits bits = rsp_begin_bits(rsp_view(sps->bytes.data + 2, sps->bytes.size - 2), 1);
  rsp_read_bits(&bits, 4); /* sps_video_parameter_set_id */
  int layers = (int)rsp_read_bits(&bits, 3), flags[8][2] = {{0}};
  record->temporal_layers = (uint8_t)(layers + 1);
  record->temporal_nested = (uint8_t)rsp_read_bits(&bits, 1);
  record->profile = (uint8_t)rsp_read_bits(&bits, 8);
  record->compatibility = (uint32_t)rsp_read_bits(&bits, 32);
  record->constraints = rsp_read_bits(&bits, 48);
  record->level = (uint8_t)rsp_read_bits(&bits, 8);
  for (int i = 0; i < layers; i++)
    for (int j = 0; j < 2; j++) flags[i][j] = (int)rsp_read_bits(&bits, 1);
  if (layers > 0) rsp_read_bits(&bits, 2 * (8 - layers));
  for (int i = 0; i < layers; i++) {
    if (flags[i][0]) rsp_read_bits(&bits, 44), rsp_read_bits(&bits, 44);
    if (flags[i][1]) rsp_read_bits(&bits, 8);
  }
  rsp_read_ue(&bits); /* sps_seq_parameter_set_id */
  uint32_t chroma = rsp_read_ue(&bits);
  if (chroma == 3) rsp_read_bits(&bits, 1); /* separate_colour_plane_flag */
  rsp_read_ue(&bits); /* width and height */
  rsp_read_ue(&bits);
  if (rsp_read_bits(&bits, 1))
    for (int i = 0; i < 4; i++) rsp_read_ue(&bits); /* conformance window */
  uint32_t luma_depth = rsp_read_ue(&bits), chroma_depth = rsp_read_ue(&bits);
  if (bits.is_over || chroma > 3 || luma_depth > 7 || chroma_depth > 7)
    return rsp_fail(error, RSP_ERROR_MALFORMED, "the SPS ends early or has an unknown format");
  record->chroma_format = (uint8_t)chroma;
  record->luma_bits = (uint8_t)(8 + luma_depth);
  record->chroma_bits = (uint8_t)(8 + chroma_depth);
  record->length_size = 4;
  return RSP_OK;
}

static inline size_t rsp_hevc_write(const rsp_hevc_record *record, uint8_t *RSP_NULLABLE bytes, size_t capacity) {
  rsp_output out = rsp_begin_output(bytes, capacity);
  uint32_t arrays = 0;
  if (record->unit_count > RSP_HEVC_UNITS) return 0;
  if (record->length_size != 1 && record->length_size != 2 && record->length_size != 4) return 0;
  for (uint32_t i = 0; i < record->unit_count; i++)
    arrays += i == 0 || record->units[i].type != record->units[i - 1].type;
  rsp_put(&out, 1, 1);
  rsp_put(&out, record->profile, 1);
  rsp_put(&out, record->compatibility, 4);
  rsp_put(&out, record->constraints, 6);
  rsp_put(&out, record->level, 1);
  rsp_put(&out, 0xF000u | record->segmentation, 2);
  rsp_put(&out, 0xFCu | record->parallelism, 1);
  rsp_put(&out, 0xFCu | record->chroma_format, 1);
  rsp_put(&out, 0xF8u | (record->luma_bits - 8u), 1);
  rsp_put(&out, 0xF8u | (record->chroma_bits - 8u), 1);
  rsp_put(&out, record->average_frame_rate, 2);
  rsp_put(&out, (uint32_t)record->constant_frame_rate << 6 | (uint32_t)record->temporal_layers << 3 |
                    (uint32_t)record->temporal_nested << 2 | (record->length_size - 1u), 1);
  rsp_put(&out, arrays, 1);
  for (uint32_t i = 0; i < record->unit_count; i++) {
    const rsp_hevc_unit *unit = &record->units[i];
    uint32_t count = i == 0 || unit->type != unit[-1].type;
    while (count > 0 && i + count < record->unit_count && unit[count].type == unit->type) count++;
    if (count > 0) {
      rsp_put(&out, (uint32_t)unit->is_complete << 7 | unit->type, 1);
      rsp_put(&out, count, 2);
    }
    rsp_put_units(&out, &unit->bytes, 1);
  }
  return out.is_invalid ? 0 : out.size;
}

/* OBUs (AV1 5.3) */

typedef struct rsp_obu {
  uint8_t type;      /* 1 sequence header, 2 temporal delimiter, 3 frame header, 5 metadata, 6 frame */
  rsp_bytes payload;
  rsp_bytes whole;   /* with its header */
} rsp_obu;

/* Finds the next OBU, from `*position` on, which starts at 0.  Returns 0 at the end, and -1 if the bytes are damaged.
   Packets in files have no temporal delimiters. */
static inline int rsp_obu_next(rsp_bytes stream, size_t *position, rsp_obu *obu) {
  size_t start = *position, at = start;
  int is_over = 0;
  if (start >= stream.size) return 0;
  const uint8_t *head = rsp_take(stream, &at, 1, &is_over);
  if (!head || *head & 0x80) return -1;
  if (*head & 4) rsp_take(stream, &at, 1, &is_over);
  uint64_t size = 0;
  if (*head & 2) {
    const uint8_t *part = head;
    for (int shift = 0; shift < 56; shift += 7) {
      if (!(part = rsp_take(stream, &at, 1, &is_over))) return -1;
      size |= (uint64_t)(*part & 0x7F) << shift;
      if (!(*part & 0x80)) break;
    }
    if (*part & 0x80) return -1;
  } else if (!is_over) {
    size = stream.size - at;
  }
  obu->type = *head >> 3 & 15;
  obu->payload = rsp_view(rsp_take(stream, &at, (size_t)size, &is_over), (size_t)size);
  if (is_over) return -1;
  obu->whole = rsp_view(stream.data + start, at - start);
  *position = at;
  return 1;
}

/* av1C: AV1CodecConfigurationRecord */
typedef struct rsp_av1_record {
  uint8_t profile, level, tier;
  uint8_t bits; /* 8, 10 or 12 */
  uint8_t is_monochrome, subsampling_x, subsampling_y, chroma_sample_position;
  uint8_t presentation_delay; /* initial_presentation_delay_minus_one + 1; 0: not stored */
  rsp_bytes obus;             /* the sequence header, with its OBU header and size */
} rsp_av1_record;

static inline rsp_status rsp_av1_parse(rsp_bytes bytes, rsp_av1_record *record, rsp_error *RSP_NULLABLE error) {
  memset(record, 0, sizeof *record);
  if (bytes.size < 4 || bytes.data[0] != 0x81) return rsp_bad_record(error, "av1C", 0);
  uint8_t flags = bytes.data[2];
  record->profile = bytes.data[1] >> 5;
  record->level = bytes.data[1] & 31;
  record->tier = flags >> 7;
  record->bits = flags & 64 ? (flags & 32 ? 12 : 10) : 8;
  record->is_monochrome = flags >> 4 & 1;
  record->subsampling_x = flags >> 3 & 1;
  record->subsampling_y = flags >> 2 & 1;
  record->chroma_sample_position = flags & 3;
  record->presentation_delay = bytes.data[3] & 16 ? (uint8_t)((bytes.data[3] & 15) + 1) : 0;
  record->obus = rsp_view(bytes.data + 4, bytes.size - 4);
  size_t position = 0;
  rsp_obu obu;
  int found;
  while ((found = rsp_obu_next(record->obus, &position, &obu)) > 0) continue;
  return found < 0 ? rsp_bad_record(error, "av1C", 4 + position) : RSP_OK;
}

/* Sets everything but `obus` from the sequence header in `obus` (AV1 5.5). */
static inline rsp_status rsp_av1_describe(rsp_av1_record *record, rsp_error *RSP_NULLABLE error) {
  size_t position = 0;
  rsp_obu obu;
  int found;
  while ((found = rsp_obu_next(record->obus, &position, &obu)) > 0 && obu.type != 1) continue;
  if (found <= 0) return rsp_fail(error, RSP_ERROR_MALFORMED, "av1C needs a sequence header (OBU type 1)");
  rsp_bits bits = rsp_begin_bits(obu.payload, 0);
  record->profile = (uint8_t)rsp_read_bits(&bits, 3);
  rsp_read_bits(&bits, 1); /* still_picture */
  int is_reduced = (int)rsp_read_bits(&bits, 1), delay_bits = 0;
  record->tier = 0;
  if (is_reduced) {
    record->level = (uint8_t)rsp_read_bits(&bits, 5);
  } else {
    if (rsp_read_bits(&bits, 1)) { /* timing_info */
      rsp_read_bits(&bits, 64);
      if (rsp_read_bits(&bits, 1)) rsp_read_ue(&bits);
      if (rsp_read_bits(&bits, 1)) { /* decoder_model_info */
        delay_bits = (int)rsp_read_bits(&bits, 5) + 1;
        rsp_read_bits(&bits, 42);
      }
    }
    int has_delay = (int)rsp_read_bits(&bits, 1), points = (int)rsp_read_bits(&bits, 5) + 1;
    for (int i = 0; i < points; i++) {
      rsp_read_bits(&bits, 12);
      uint8_t level = (uint8_t)rsp_read_bits(&bits, 5), tier = level > 7 ? (uint8_t)rsp_read_bits(&bits, 1) : 0;
      if (i == 0) {
        record->level = level;
        record->tier = tier;
      }
      if (delay_bits > 0 && rsp_read_bits(&bits, 1)) rsp_read_bits(&bits, delay_bits), rsp_read_bits(&bits, delay_bits + 1);
      if (has_delay && rsp_read_bits(&bits, 1)) rsp_read_bits(&bits, 4);
    }
  }
  int width_bits = (int)rsp_read_bits(&bits, 4) + 1, height_bits = (int)rsp_read_bits(&bits, 4) + 1;
  rsp_read_bits(&bits, width_bits + height_bits);
  if (!is_reduced && rsp_read_bits(&bits, 1)) rsp_read_bits(&bits, 7); /* frame_id_numbers */
  rsp_read_bits(&bits, 3);
  if (!is_reduced) {
    rsp_read_bits(&bits, 4);
    int has_order = (int)rsp_read_bits(&bits, 1);
    if (has_order) rsp_read_bits(&bits, 2);
    int has_tools = rsp_read_bits(&bits, 1) ? 1 : (int)rsp_read_bits(&bits, 1);
    if (has_tools && !rsp_read_bits(&bits, 1)) rsp_read_bits(&bits, 1);
    if (has_order) rsp_read_bits(&bits, 3);
  }
  rsp_read_bits(&bits, 3);
  int is_high = (int)rsp_read_bits(&bits, 1);
  int is_twelve = record->profile == 2 && is_high && rsp_read_bits(&bits, 1);
  record->bits = is_twelve ? 12 : is_high ? 10 : 8;
  record->is_monochrome = record->profile == 1 ? 0 : (uint8_t)rsp_read_bits(&bits, 1);
  uint64_t color = rsp_read_bits(&bits, 1) ? rsp_read_bits(&bits, 24) : 0x020202;
  record->subsampling_x = record->subsampling_y = record->is_monochrome || record->profile == 0;
  record->chroma_sample_position = 0;
  if (record->is_monochrome) rsp_read_bits(&bits, 1);
  if (!record->is_monochrome && color == 0x010D00) { /* RGB */
    record->subsampling_x = record->subsampling_y = 0;
  } else if (!record->is_monochrome) {
    rsp_read_bits(&bits, 1);
    if (record->profile == 2) {
      record->subsampling_x = is_twelve ? (uint8_t)rsp_read_bits(&bits, 1) : 1;
      record->subsampling_y = is_twelve && record->subsampling_x ? (uint8_t)rsp_read_bits(&bits, 1) : 0;
    }
    if (record->subsampling_x && record->subsampling_y) record->chroma_sample_position = (uint8_t)rsp_read_bits(&bits, 2);
  }
  if (bits.is_over) return rsp_fail(error, RSP_ERROR_MALFORMED, "the sequence header ends early");
  return RSP_OK;
}

static inline size_t rsp_av1_write(const rsp_av1_record *record, uint8_t *RSP_NULLABLE bytes, size_t capacity) {
  rsp_output out = rsp_begin_output(bytes, capacity);
  rsp_put(&out, 0x81, 1);
  rsp_put(&out, (uint32_t)record->profile << 5 | record->level, 1);
  rsp_put(&out, (uint32_t)record->tier << 7 | (record->bits > 8 ? 64u : 0) | (record->bits > 10 ? 32u : 0) |
                    (uint32_t)record->is_monochrome << 4 | (uint32_t)record->subsampling_x << 3 |
                    (uint32_t)record->subsampling_y << 2 | record->chroma_sample_position, 1);
  rsp_put(&out, record->presentation_delay ? 16u | (record->presentation_delay - 1u) : 0, 1);
  rsp_put_bytes(&out, record->obus);
  return out.size;
}

/* Makes the record of a stream from a packet with a sequence header, such as the first one of an encoder.  `obus` is a
   view into the packet. */
static inline rsp_status rsp_av1_from_packet(rsp_bytes packet, rsp_av1_record *record, rsp_error *RSP_NULLABLE error) {
  size_t position = 0;
  rsp_obu obu;
  memset(record, 0, sizeof *record);
  while (rsp_obu_next(packet, &position, &obu) > 0)
    if (obu.type == 1) record->obus = obu.whole;
  return rsp_av1_describe(record, error);
}

/* Copies a temporal unit without its temporal delimiters: a packet as files have it.  Returns the size, and writes only
   if it is not greater than `capacity`; 0: the bytes are damaged. */
static inline size_t rsp_av1_to_packet(rsp_bytes unit, uint8_t *RSP_NULLABLE bytes, size_t capacity) {
  rsp_output out = rsp_begin_output(bytes, capacity);
  size_t position = 0;
  rsp_obu obu;
  int found;
  while ((found = rsp_obu_next(unit, &position, &obu)) > 0)
    if (obu.type != 2) rsp_put_bytes(&out, obu.whole);
  return found < 0 ? 0 : out.size;
}

/* High dynamic range */

/* Mastering display: the body of mdcv (ISO/IEC 14496-12 12.1.7).  Coordinates are in units of 0.00002, luminances in
   units of 0.0001 cd/m2. */
typedef struct rsp_mastering_display {
  uint16_t red[2], green[2], blue[2], white[2]; /* x and y of CIE 1931 */
  uint32_t maximum_luminance, minimum_luminance;
} rsp_mastering_display;

#define RSP_MASTERING_DISPLAY_SIZE 24

/* RSP_ERROR_MALFORMED if there are fewer than 24 bytes, as in an empty view of rsp_find_side_data. */
static inline rsp_status rsp_mdcv_parse(rsp_bytes bytes, rsp_mastering_display *display,
                                        rsp_error *RSP_NULLABLE error) {
  memset(display, 0, sizeof *display);
  if (bytes.size < RSP_MASTERING_DISPLAY_SIZE) return rsp_bad_record(error, "mdcv", bytes.size);
  uint16_t *points[] = {display->green, display->blue, display->red, display->white}; /* as ITU-T H.265 D.3.28 */
  for (int i = 0; i < 8; i++) points[i / 2][i % 2] = (uint16_t)rsp_load_be(bytes.data + 2 * i, 2);
  display->maximum_luminance = (uint32_t)rsp_load_be(bytes.data + 16, 4);
  display->minimum_luminance = (uint32_t)rsp_load_be(bytes.data + 20, 4);
  return RSP_OK;
}

/* Writes RSP_MASTERING_DISPLAY_SIZE bytes. */
static inline void rsp_mdcv_write(const rsp_mastering_display *display, uint8_t *bytes) {
  const uint16_t *points[] = {display->green, display->blue, display->red, display->white};
  for (int i = 0; i < 8; i++) rsp_store_be(bytes + 2 * i, points[i / 2][i % 2], 2);
  rsp_store_be(bytes + 16, display->maximum_luminance, 4);
  rsp_store_be(bytes + 20, display->minimum_luminance, 4);
}

/* Content light level: the body of clli (ISO/IEC 14496-12 12.1.6), in cd/m2; 0: unknown. */
typedef struct rsp_content_light {
  uint16_t maximum, maximum_average; /* MaxCLL and MaxFALL */
} rsp_content_light;

#define RSP_CONTENT_LIGHT_SIZE 4

static inline rsp_status rsp_clli_parse(rsp_bytes bytes, rsp_content_light *light, rsp_error *RSP_NULLABLE error) {
  memset(light, 0, sizeof *light);
  if (bytes.size < RSP_CONTENT_LIGHT_SIZE) return rsp_bad_record(error, "clli", bytes.size);
  light->maximum = (uint16_t)rsp_load_be(bytes.data, 2);
  light->maximum_average = (uint16_t)rsp_load_be(bytes.data + 2, 2);
  return RSP_OK;
}

/* Writes RSP_CONTENT_LIGHT_SIZE bytes. */
static inline void rsp_clli_write(const rsp_content_light *light, uint8_t *bytes) {
  rsp_store_be(bytes, light->maximum, 2);
  rsp_store_be(bytes + 2, light->maximum_average, 2);
}

RSP_NONNULL_END
RSP_C_END

#endif
