/* Checks of respool/helpers.h and respool/records.h, compiled as C11 and as C++17.  Arguments are records of real
   encoders, such as "avcC:0164…", each of which is parsed, described, written and cut off at every byte.  Ends with 1
   and the line of the first check that fails. */
#include <locale.h>
#include <respool/records.h>

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("line %d: %s\n", __LINE__, #condition);         \
      exit(1);                                               \
    }                                                        \
  } while (0)

static rsp_error new_error(void) {
  rsp_error error;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.offset = error.track = -1;
  return error;
}

static void check_failure(void) {
  rsp_error error = new_error();
  CHECK(rsp_fail_at(&error, RSP_ERROR_MALFORMED, 12, "%d channels", 3) == RSP_ERROR_MALFORMED);
  CHECK(error.status == RSP_ERROR_MALFORMED && error.offset == 12 && strcmp(error.message, "3 channels") == 0);
  CHECK(rsp_fail(NULL, RSP_ERROR_LIMIT, "unseen") == RSP_ERROR_LIMIT);
  /* Text is cut before a character that does not fit. */
  char text[600];
  memset(text, 'a', sizeof text);
  for (size_t i = 508; i < 512; i++) text[i] = "\xF0\x9F\x8E\xB5"[i - 508];
  text[599] = 0;
  rsp_fail(&error, RSP_ERROR_LIMIT, "%s", text);
  CHECK(strlen(error.message) == 508 && error.message[507] == 'a');
  text[507] = text[511];
  memcpy(text + 507, "\xF0\x9F\x8E\xB5", 4);
  rsp_fail(&error, RSP_ERROR_LIMIT, "%s", text);
  CHECK(strlen(error.message) == 511 && memcmp(error.message + 507, "\xF0\x9F\x8E\xB5", 4) == 0);
}

static void check_buffers(void) {
  rsp_buffer buffer = rsp_copy_buffer("abc", 3);
  CHECK(buffer.size == 3 && memcmp(buffer.data, "abc", 3) == 0 && (uintptr_t)buffer.data % RSP_ALIGNMENT == 0);
  rsp_buffer other = rsp_retain_buffer(&buffer);
  rsp_release_buffer(&buffer);
  CHECK(buffer.data == NULL && buffer.owner == NULL && memcmp(other.data, "abc", 3) == 0);
  rsp_release_buffer(&other);
  rsp_release_buffer(&other); /* empty */
  rsp_buffer lent;
  memset(&lent, 0, sizeof lent);
  uint8_t bytes[2] = {1, 2};
  lent.data = bytes;
  lent.size = sizeof bytes;
  rsp_buffer kept = rsp_retain_buffer(&lent);
  CHECK(kept.data != bytes && kept.size == 2 && kept.data[1] == 2);
  rsp_release_buffer(&kept);
  CHECK(rsp_new_buffer(SIZE_MAX).owner == NULL);
  rsp_buffer empty = rsp_new_buffer(0);
  CHECK(empty.owner != NULL && empty.size == 0);
  rsp_release_buffer(&empty);
}

static void check_options(void) {
  rsp_text texts[7] = {{"gain", "-1.5"}, {"level", "7"},  {"level", "9"},  {"fast", "true"},
                       {"mode", "two"},  {"bad", "1.5x"}, {"large", "99999999999999999999"}};
  static const char *const modes[] = {"one", "two", NULL};
  rsp_options options = {7, sizeof(rsp_text), texts};
  CHECK(rsp_option_number(&options, "gain", 0) == -1.5 && rsp_option_number(&options, "bad", 2) == 2);
  CHECK(rsp_option_int(&options, "level", 0) == 9 && rsp_option_int(&options, "large", 4) == 4);
  CHECK(rsp_option_int(&options, "none", 5) == 5 && rsp_option_int(&options, "bad", 6) == 6);
  CHECK(rsp_option_bool(&options, "fast", 0) == 1 && rsp_option_bool(&options, "none", 1) == 1);
  CHECK(rsp_option_choice(&options, "mode", modes, 0) == 1 && rsp_option_choice(&options, "none", modes, -1) == -1);
  CHECK(rsp_option_text(&options, "none", NULL) == NULL);
  if (setlocale(LC_ALL, "de_DE.UTF-8")) CHECK(rsp_option_number(&options, "gain", 0) == -1.5);
  setlocale(LC_ALL, "C");
  rsp_options old = {7, 0, texts}; /* a host before ABI 1.4 */
  if (sizeof(rsp_text) == rsp_text_size_1_0) CHECK(rsp_option_int(&old, "level", 0) == 9);
}

static void check_structs(void) {
  rsp_track track = rsp_new_track(RSP_KIND_AUDIO, "pcm_s16le");
  CHECK(track.packet_count == RSP_UNKNOWN && track.profile == -1 && track.start == RSP_NO_TIME);
  track.sample_format = RSP_SAMPLE_S16P;
  track.sample_rate = 8000;
  track.channels = 12;
  track.time_base.den = 8000;
  rsp_track output = rsp_output_track(&track, "other");
  CHECK(output.channels == 12 && output.time_base.den == 8000 && strcmp(output.codec, "other") == 0);
  rsp_frame frame = rsp_new_audio_frame(&track, 10, 5);
  CHECK(frame.plane_count == 12 && frame.stride[0] == 20 && frame.plane[7] == frame.buffer.data + 140);
  CHECK(frame.buffer.size == 240 && frame.pts == 5);
  /* A host with a shorter struct gets what fits into it. */
  struct {
    rsp_frame frame;
    uint8_t after[8];
  } room;
  memset(&room, 0x55, sizeof room);
  room.frame.struct_size = rsp_frame_size_1_0;
  rsp_copy(&room.frame, &frame);
  CHECK(room.frame.struct_size == rsp_frame_size_1_0 && room.frame.pts == 5);
  CHECK(((uint8_t *)&room)[rsp_frame_size_1_0] == 0x55);
  rsp_release_buffer(&frame.buffer);
  track.sample_format = 99;
  CHECK(rsp_new_audio_frame(&track, 10, 5).buffer.owner == NULL);
}

static void check_video(void) {
  rsp_track track = rsp_new_track(RSP_KIND_VIDEO, "");
  track.width = 33;
  track.height = 17;
  size_t row, rows;
  for (uint32_t format = 0; format < RSP_PIXEL_COUNT; format++) {
    track.pixel_format = format;
    rsp_frame frame = rsp_new_video_frame(&track, 5);
    uint32_t plane = 0;
    for (; rsp_plane_size(format, plane, 33, 17, &row, &rows); plane++) {
      CHECK(frame.plane[plane] && frame.stride[plane] % RSP_ALIGNMENT == 0 && (size_t)frame.stride[plane] >= row);
      for (size_t y = 0; y < rows; y++) memset(frame.plane[plane] + (ptrdiff_t)y * frame.stride[plane], 1, row);
      printf("layout %u %u %zu %zu\n", format, plane, row, rows);
    }
    CHECK(frame.plane_count == plane && !frame.buffer.owner == !plane);
    rsp_release_buffer(&frame.buffer);
  }
  CHECK(!rsp_plane_size(RSP_PIXEL_COUNT, 0, 33, 17, &row, &rows));
  track.pixel_format = RSP_PIXEL_GRAY;
  track.width = 0;
  CHECK(rsp_new_video_frame(&track, 5).buffer.owner == NULL);
}

static void check_side_data(void) {
  uint8_t display[RSP_MASTERING_DISPLAY_SIZE], light[RSP_CONTENT_LIGHT_SIZE], out[RSP_MASTERING_DISPLAY_SIZE];
  for (uint8_t i = 0; i < sizeof display; i++) display[i] = i;
  memcpy(light, display + 1, sizeof light);
  rsp_side_data first, second;
  memset(&first, 0, sizeof first);
  first.struct_size = sizeof first;
  second = first;
  first.type = RSP_SIDE_DATA_TYPE('m', 'd', 'c', 'v');
  first.data = display;
  first.size = sizeof display;
  second.type = RSP_SIDE_DATA_TYPE('c', 'l', 'l', 'i');
  second.data = light;
  second.size = sizeof light;
  const rsp_side_data *list[] = {&first, &second};
  rsp_mastering_display mastering;
  CHECK(rsp_mdcv_parse(rsp_find_side_data(list, 2, first.type), &mastering, NULL) == RSP_OK);
  CHECK(mastering.green[0] == 0x0001 && mastering.red[1] == 0x0A0B && mastering.white[0] == 0x0C0D);
  CHECK(mastering.maximum_luminance == 0x10111213 && mastering.minimum_luminance == 0x14151617);
  rsp_mdcv_write(&mastering, out);
  CHECK(memcmp(out, display, sizeof display) == 0);
  rsp_content_light content;
  CHECK(rsp_clli_parse(rsp_find_side_data(list, 2, second.type), &content, NULL) == RSP_OK);
  CHECK(content.maximum == 0x0102 && content.maximum_average == 0x0304);
  rsp_clli_write(&content, out);
  CHECK(memcmp(out, light, sizeof light) == 0);
  rsp_bytes none = rsp_find_side_data(NULL, 0, first.type);
  CHECK(none.data == NULL && rsp_mdcv_parse(none, &mastering, NULL) == RSP_ERROR_MALFORMED);
  CHECK(rsp_clli_parse(none, &content, NULL) == RSP_ERROR_MALFORMED);
}

static void check_av1_packets(void) {
  /* A temporal delimiter, a sequence header of SVT-AV1 and a padding OBU. */
  static const uint8_t unit[] = {0x12, 0,    0x0A, 0x0A, 0,    0,    0,    0x02, 0xAF, 0xFF,
                                 0x80, 0x5F, 0x08, 0x08, 0x7A, 1,    0x80};
  uint8_t out[32];
  rsp_bytes all = rsp_view(unit, sizeof unit);
  rsp_av1_record record;
  CHECK(rsp_av1_from_packet(all, &record, NULL) == RSP_OK && record.bits == 10 && record.obus.size == 12);
  CHECK(rsp_av1_write(&record, out, sizeof out) == 16 && out[0] == 0x81 && memcmp(out + 4, unit + 2, 12) == 0);
  CHECK(rsp_av1_to_packet(all, NULL, 0) == 15 && rsp_av1_to_packet(all, out, sizeof out) == 15);
  CHECK(memcmp(out, unit + 2, 15) == 0);
  CHECK(rsp_av1_to_packet(rsp_view(unit, 9), out, sizeof out) == 0);
  CHECK(rsp_av1_from_packet(rsp_view(unit, 2), &record, NULL) == RSP_ERROR_MALFORMED);
}

static void check_times(void) {
  rsp_rational seconds = {1, 1}, samples = {1, 48000}, film = {1001, 24000}, unknown = {0, 1};
  CHECK(rsp_rescale(3, seconds, samples) == 144000 && rsp_rescale(-24001, samples, seconds) == -1);
  CHECK(rsp_rescale(2, film, samples) == 4004 && rsp_rescale(RSP_NO_TIME, film, samples) == RSP_NO_TIME);
  CHECK(rsp_rescale(5, unknown, samples) == 5 && rsp_rescale(INT64_MAX, seconds, samples) == INT64_MAX);
}

static void check_queue(void) {
  rsp_packet_queue queue;
  memset(&queue, 0, sizeof queue);
  rsp_packet out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  CHECK(rsp_queue_pop(&queue, &out) == RSP_AGAIN);
  int64_t next = 0;
  for (int64_t i = 0; i < 40; i++) {
    rsp_packet packet = rsp_new_packet(rsp_copy_buffer(&i, sizeof i), i, i - 2, 1, RSP_PACKET_KEY);
    CHECK(rsp_queue_push(&queue, &packet, NULL) == RSP_OK);
    if (i % 3 != 0) continue;
    CHECK(rsp_queue_pop(&queue, &out) == RSP_OK && out.pts == next && out.dts == next - 2);
    CHECK(memcmp(out.buffer.data, &next, sizeof next) == 0);
    rsp_release_buffer(&out.buffer);
    next++;
  }
  CHECK(queue.count == 26);
  rsp_queue_last(&queue)->trim_end = 7;
  CHECK(rsp_queue_last(&queue)->pts == 39);
  while (queue.count > 1) {
    CHECK(rsp_queue_pop(&queue, &out) == RSP_OK && out.trim_end == 0);
    rsp_release_buffer(&out.buffer);
  }
  CHECK(rsp_queue_pop(&queue, &out) == RSP_OK && out.trim_end == 7 && rsp_queue_last(&queue) == NULL);
  CHECK(rsp_queue_push(&queue, &out, NULL) == RSP_OK);
  rsp_queue_free(&queue); /* with packets in it */
  CHECK(queue.count == 0 && rsp_queue_pop(&queue, &out) == RSP_AGAIN);
}

static void check_units(void) {
  static const uint8_t stream[] = {0, 0, 0, 1, 9, 0x10, 0, 0, 1, 0x65, 1, 0, 0, 3, 1, 0, 0, 0, 1, 0, 0, 1, 0x41, 0, 0};
  rsp_bytes all = rsp_view(stream, sizeof stream), unit;
  size_t position = 0, size;
  uint8_t out[32];
  CHECK(rsp_annexb_next(all, &position, &unit) && unit.size == 2 && unit.data[0] == 9);
  CHECK(rsp_annexb_next(all, &position, &unit) && unit.size == 6 && unit.data[0] == 0x65);
  CHECK(rsp_annexb_next(all, &position, &unit) && unit.size == 1 && unit.data[0] == 0x41);
  CHECK(!rsp_annexb_next(all, &position, &unit));
  size = rsp_annexb_to_lengths(all, NULL, 0);
  CHECK(size == 21 && rsp_annexb_to_lengths(all, out, sizeof out) == 21);
  CHECK(rsp_load_be(out, 4) == 2 && out[4] == 9 && rsp_load_be(out + 6, 4) == 6 && out[20] == 0x41);
  for (size_t i = 0; i < sizeof stream; i++) { /* with every end */
    uint8_t *copy = (uint8_t *)malloc(i + 1);
    memcpy(copy, stream, i);
    rsp_annexb_to_lengths(rsp_view(copy, i), NULL, 0);
    free(copy);
  }
  CHECK(rsp_load_le(stream + 4, 2) == 0x1009 && rsp_load_be(stream + 4, 2) == 0x0910);
}

/* Parses a record of `name` from exactly `size` bytes, and writes it.  Returns the written size; 0: not a record. */
static size_t round_trip(const char *name, const uint8_t *bytes, size_t size, int describes, uint8_t *out) {
  uint8_t *copy = (uint8_t *)malloc(size ? size : 1); /* an exact size shows a read after the end */
  if (size) memcpy(copy, bytes, size);
  rsp_bytes all = rsp_view(copy, size);
  rsp_error error = new_error();
  size_t written = 0;
  if (strcmp(name, "avcC") == 0) {
    static rsp_avc_record record;
    if (rsp_avc_parse(all, &record, &error) == RSP_OK) {
      if (describes) {
        uint8_t has_format = record.has_format; /* writers before 2010 leave it out */
        record.profile = record.level = record.luma_bits = record.chroma_format = 0;
        CHECK(rsp_avc_describe(&record, &error) == RSP_OK);
        record.has_format = has_format;
      }
      written = rsp_avc_write(&record, out, 1 << 16);
    }
  } else if (strcmp(name, "hvcC") == 0) {
    static rsp_hevc_record record, made;
    if (rsp_hevc_parse(all, &record, &error) == RSP_OK) {
      if (describes) { /* what encoders of other programs estimate is kept */
        memset(&made, 0, sizeof made);
        made.segmentation = record.segmentation;
        made.parallelism = record.parallelism;
        made.average_frame_rate = record.average_frame_rate;
        made.constant_frame_rate = record.constant_frame_rate;
        for (uint32_t i = 0; i < record.unit_count; i++) {
          CHECK(rsp_hevc_add(&made, record.units[i].bytes, &error) == RSP_OK);
          made.units[i].is_complete = record.units[i].is_complete;
        }
        CHECK(rsp_hevc_describe(&made, &error) == RSP_OK);
        record = made;
      }
      written = rsp_hevc_write(&record, out, 1 << 16);
    }
  } else {
    rsp_av1_record record;
    if (rsp_av1_parse(all, &record, &error) == RSP_OK) {
      if (describes) {
        uint8_t delay = record.presentation_delay;
        record.profile = record.level = record.bits = record.subsampling_x = record.is_monochrome = 99;
        CHECK(rsp_av1_describe(&record, &error) == RSP_OK);
        record.presentation_delay = delay;
      }
      written = rsp_av1_write(&record, out, 1 << 16);
    }
  }
  if (written == 0) CHECK(error.status == RSP_ERROR_MALFORMED && error.message[0] != 0);
  free(copy);
  return written;
}

static void check_record(const char *argument) {
  static uint8_t bytes[1 << 16], out[1 << 16];
  char name[5] = {0};
  size_t size = 0;
  unsigned value;
  memcpy(name, argument, 4);
  for (const char *text = argument + 5; sscanf(text, "%2x", &value) == 1; text += 2) bytes[size++] = (uint8_t)value;
  CHECK(round_trip(name, bytes, size, 0, out) == size && memcmp(out, bytes, size) == 0);
  CHECK(round_trip(name, bytes, size, 1, out) == size && memcmp(out, bytes, size) == 0);
  for (size_t end = 0; end < size; end++) round_trip(name, bytes, end, 0, out);
  srand(1);
  for (int i = 0; i < 2000; i++) { /* damage */
    size_t at = (size_t)rand() % size;
    uint8_t old = bytes[at];
    bytes[at] = (uint8_t)rand();
    round_trip(name, bytes, size, 0, out);
    static rsp_hevc_record hevc;
    static rsp_avc_record avc;
    rsp_av1_record av1;
    if (rsp_hevc_parse(rsp_view(bytes, size), &hevc, NULL) == RSP_OK) rsp_hevc_describe(&hevc, NULL);
    if (rsp_avc_parse(rsp_view(bytes, size), &avc, NULL) == RSP_OK) rsp_avc_describe(&avc, NULL);
    if (rsp_av1_parse(rsp_view(bytes, size), &av1, NULL) == RSP_OK) rsp_av1_describe(&av1, NULL);
    bytes[at] = old;
  }
}

int main(int count, char **arguments) {
  check_failure();
  check_buffers();
  check_options();
  check_structs();
  check_times();
  check_queue();
  check_units();
  check_video();
  check_side_data();
  check_av1_packets();
  for (int i = 1; i < count; i++) check_record(arguments[i]);
  printf("%d records\n", count - 1);
  return 0;
}
