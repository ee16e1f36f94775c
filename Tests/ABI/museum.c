/* A demuxer and a muxer that use everything that the headers of a minor version of the ABI have.  The tests build it
   from the headers of each released version.  The demuxer describes media with all lists; the muxer writes what it is
   given as text, one line for each value. */
#include <respool/plugin.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Since 1.4 elements of arrays may be longer than this plugin knows. */
#if RSP_ABI_MINOR >= 4u
#define ELEMENT(type, array, size, index) RSP_AT(type, array, size, index)
#else
#define ELEMENT(type, array, size, index) ((array) + (index))
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Demuxer */

static const rsp_text texts[] = {{.name = "title", .value = "a title"}, {.name = "artist", .value = "an artist"}};
static const rsp_text track_texts[] = {{.name = "comment", .value = "of a track"}};
static const rsp_chapter chapters[] = {{.id = 1, .start = 0, .end = 1000000000, .title = "one", .language = "eng"},
                                       {.id = 2, .start = 1000000000, .end = 2000000000, .title = "two"}};
static const rsp_edit edits[] = {
    {.presentation_start = 0, .duration = 10, .media_start = RSP_NO_TIME, .rate = 1},
    {.presentation_start = 10, .duration = 20, .media_start = 5, .rate = 1}};
#if RSP_ABI_MINOR >= 1u
static const rsp_tag tags[] = {
    {.track = -1, .key_space = "itsk", .key = "name", .name = "title", .value = "a title"},
    {.track = 0, .key_space = "mdta", .key = "key", .name = "", .value = "a value", .language = "deu"}};
static const rsp_reference references[] = {{.track = 0, .type = 0x70616863, .track_id = 7},
                                           {.track = 0, .type = 0x63736463, .track_id = 8}};
static const rsp_track second_format = {
    .struct_size = sizeof(rsp_track), .kind = RSP_KIND_AUDIO, .codec = "pcm_s24le", .time_base = {1, 8000}};
static const rsp_track *const formats[] = {&second_format};
#endif
#if RSP_ABI_MINOR >= 2u
static const rsp_side_data record = {
    .struct_size = sizeof record, .type = 0x696c6c63, .data = (const uint8_t *)"\1\2\3\4", .size = 4};
static const rsp_side_data *const records[] = {&record};
#endif

static const rsp_track the_track = {
    .struct_size = sizeof the_track, .kind = RSP_KIND_AUDIO, .id = 3, .codec = "pcm_s16le", .time_base = {1, 8000},
    .start = 0, .duration = 30, .packet_count = 2, .language = "fra", .metadata = track_texts,
    .metadata_count = COUNT(track_texts), .edits = edits, .edit_count = COUNT(edits), .profile = -1, .level = -1,
    .sample_rate = 8000, .channels = 1, .sample_format = RSP_SAMPLE_S16, .bits_per_sample = 16, .block_align = 2,
#if RSP_ABI_MINOR >= 1u
    .further_formats = formats, .further_format_count = COUNT(formats), .volume = 0x81,
#endif
#if RSP_ABI_MINOR >= 2u
    .side_data = records, .side_data_count = COUNT(records),
#endif
#if RSP_ABI_MINOR >= 4u
    .edit_size = sizeof *edits, .metadata_size = sizeof *texts,
#endif
};
static const rsp_track *const tracks[] = {&the_track};

static const rsp_media the_media = {
    .struct_size = sizeof the_media, .track_count = 1, .tracks = tracks, .metadata = texts,
    .metadata_count = COUNT(texts), .chapters = chapters, .chapter_count = COUNT(chapters), .format = "museum",
    .duration = 2000000000, .warning = "a warning",
#if RSP_ABI_MINOR >= 1u
    .tags = tags, .tag_count = COUNT(tags), .references = references, .reference_count = COUNT(references),
    .facts = RSP_MEDIA_HAS_RATE, .rate = 0.5,
#endif
#if RSP_ABI_MINOR >= 2u
    .side_data = records, .side_data_count = COUNT(records),
#endif
#if RSP_ABI_MINOR >= 4u
    .tag_size = sizeof *tags, .reference_size = sizeof *references, .metadata_size = sizeof *texts,
    .chapter_size = sizeof *chapters,
#endif
};

struct rsp_demuxer {
  int next;
};

static int32_t probe(const rsp_factory *factory, const uint8_t *bytes, size_t count, const char *name) {
  (void)factory, (void)name;
  return count >= 6 && memcmp(bytes, "MUSEUM", 6) == 0 ? 100 : 0;
}

static rsp_status open_demuxer(const rsp_factory *factory, const rsp_source *source, const rsp_options *options,
                               rsp_demuxer **out, rsp_error *error) {
  (void)factory, (void)source, (void)options, (void)error;
  *out = calloc(1, sizeof **out);
  return RSP_OK;
}

static const rsp_media *media(rsp_demuxer *demuxer) {
  (void)demuxer;
  return &the_media;
}

static rsp_status select_tracks(rsp_demuxer *demuxer, const uint8_t *wanted, uint32_t count, rsp_error *error) {
  (void)demuxer, (void)wanted, (void)count, (void)error;
  return RSP_OK;
}

static rsp_status read_packet(rsp_demuxer *demuxer, rsp_packet *packet, rsp_error *error) {
  (void)error;
  if (demuxer->next == 2) return RSP_END;
#if defined(ASSIGNS_WHOLE_STRUCT)
  /* Wrong for a host whose struct is shorter: it writes beyond packet->struct_size. */
  *packet = (rsp_packet){.struct_size = packet->struct_size};
#endif
#if defined(CLEARS_WHOLE_ERROR)
  memset(error, 0xFF, sizeof *error);
#endif
  packet->pts = packet->dts = demuxer->next * 3;
  packet->duration = 3;
  packet->flags = RSP_PACKET_KEY;
  packet->range_length = 6;
#if RSP_ABI_MINOR >= 1u
  packet->format = (uint32_t)demuxer->next;
#endif
#if RSP_ABI_MINOR >= 2u
  packet->records = records;
  packet->record_count = COUNT(records);
#endif
  demuxer->next++;
  return RSP_OK;
}

static void close_demuxer(rsp_demuxer *demuxer) { free(demuxer); }

/* Muxer */

struct rsp_muxer {
  const rsp_sink *sink;
};

static void line(rsp_muxer *muxer, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text - 1, format, arguments);
  va_end(arguments);
  text[length] = '\n';
  muxer->sink->write(muxer->sink->context, text, (size_t)length + 1);
}

static const char *shown(const char *text) { return text ? text : "-"; }

static void write_track(rsp_muxer *muxer, const rsp_track *track) {
  line(muxer, "track %lld %s %d/%d", (long long)track->id, track->codec, track->time_base.num, track->time_base.den);
  for (uint32_t i = 0; i < track->metadata_count; i++) {
    const rsp_text *text = ELEMENT(rsp_text, track->metadata, track->metadata_size, i);
    line(muxer, "track text %s %s", text->name, text->value);
  }
  for (uint32_t i = 0; i < track->edit_count; i++) {
    const rsp_edit *edit = ELEMENT(rsp_edit, track->edits, track->edit_size, i);
    line(muxer, "edit %lld %lld %lld %g", (long long)edit->presentation_start, (long long)edit->duration,
         (long long)edit->media_start, edit->rate);
  }
#if RSP_ABI_MINOR >= 2u
  for (uint32_t i = 0; i < track->side_data_count; i++)
    line(muxer, "track data %x %zu", track->side_data[i]->type, track->side_data[i]->size);
#endif
}

static rsp_status open_muxer(const rsp_factory *factory, const rsp_media *media, const rsp_sink *sink,
                             const rsp_options *options, rsp_muxer **out, rsp_error *error) {
  (void)factory, (void)error;
  rsp_muxer *muxer = calloc(1, sizeof *muxer);
  muxer->sink = sink;
  for (uint32_t i = 0; i < options->count; i++) {
    const rsp_text *option = ELEMENT(rsp_text, options->values, options->value_size, i);
    line(muxer, "option %s %s", option->name, option->value);
  }
  for (uint32_t i = 0; i < media->metadata_count; i++) {
    const rsp_text *text = ELEMENT(rsp_text, media->metadata, media->metadata_size, i);
    line(muxer, "text %s %s", text->name, text->value);
  }
  for (uint32_t i = 0; i < media->chapter_count; i++) {
    const rsp_chapter *chapter = ELEMENT(rsp_chapter, media->chapters, media->chapter_size, i);
    line(muxer, "chapter %lld %lld %s %s", (long long)chapter->start, (long long)chapter->end, chapter->title,
         shown(chapter->language));
  }
#if RSP_ABI_MINOR >= 1u
  for (uint32_t i = 0; i < media->tag_count; i++) {
    const rsp_tag *tag = ELEMENT(rsp_tag, media->tags, media->tag_size, i);
    line(muxer, "tag %d %s %s %s %s", tag->track, tag->key_space, tag->key, tag->value, shown(tag->language));
  }
  for (uint32_t i = 0; i < media->reference_count; i++) {
    const rsp_reference *reference = ELEMENT(rsp_reference, media->references, media->reference_size, i);
    line(muxer, "reference %u %x %lld", reference->track, reference->type, (long long)reference->track_id);
  }
#endif
  for (uint32_t i = 0; i < media->track_count; i++) write_track(muxer, media->tracks[i]);
  *out = muxer;
  return RSP_OK;
}

static rsp_rational time_base(rsp_muxer *muxer, uint32_t track) {
  (void)muxer, (void)track;
  return (rsp_rational){1, 8000};
}

static rsp_status write_packet(rsp_muxer *muxer, const rsp_packet *packet, rsp_error *error) {
  (void)error;
  line(muxer, "packet %u %lld %lld", packet->track, (long long)packet->pts, (long long)packet->duration);
  return RSP_OK;
}

static rsp_status finish(rsp_muxer *muxer, const rsp_media *media, rsp_error *error) {
  (void)error;
  line(muxer, "end %u", media->track_count);
  return RSP_OK;
}

static void close_muxer(rsp_muxer *muxer) { free(muxer); }

/* Filter: doubles the rate of video without touching its frames, and counts them */

#if RSP_ABI_MINOR >= 5u
struct rsp_filter {
  rsp_track track;
  rsp_frame frame;
  int held, drained;
  char count[16];
  rsp_result results[2];
};

static rsp_status open_filter(const rsp_factory *factory, const rsp_filter_settings *settings, rsp_filter **out,
                              rsp_error *error) {
  (void)factory, (void)error;
  rsp_filter *filter = calloc(1, sizeof *filter);
  filter->track = (rsp_track){
      .struct_size = sizeof filter->track, .kind = RSP_KIND_VIDEO, .codec = "",
      .time_base = {settings->track->time_base.num, settings->track->time_base.den * 2}, .start = RSP_NO_TIME,
      .duration = RSP_NO_TIME, .width = settings->track->width, .height = settings->track->height,
      .frame_rate = {settings->track->frame_rate.num * 2, settings->track->frame_rate.den},
      .pixel_format = settings->track->pixel_format};
#if defined(NO_SIZE)
  filter->track.width = 0;
#endif
  *out = filter;
  return RSP_OK;
}

static const rsp_track *filter_track(rsp_filter *filter) { return &filter->track; }

static rsp_status send_frame(rsp_filter *filter, const rsp_frame *frame, rsp_error *error) {
  (void)error;
  if (filter->held) return RSP_AGAIN;
  filter->drained = !frame;
  if (!frame) return RSP_OK;
  memcpy(&filter->frame, frame, frame->struct_size < sizeof *frame ? frame->struct_size : sizeof *frame);
  frame->buffer.retain(frame->buffer.owner);
  filter->held = 2;
  return RSP_OK;
}

static rsp_status receive_frame(rsp_filter *filter, rsp_frame *frame, rsp_error *error) {
  (void)error;
  if (!filter->held) return filter->drained ? RSP_END : RSP_AGAIN;
  uint32_t size = frame->struct_size;
  rsp_frame copy = filter->frame;
  copy.pts = filter->frame.pts * 2 + (filter->held == 1);
  copy.duration = 0;
  copy.side_data = NULL;
  copy.side_data_count = 0;
  memcpy(frame, &copy, size < sizeof copy ? size : sizeof copy);
  frame->struct_size = size;
  if (--filter->held) frame->buffer.retain(frame->buffer.owner);
  snprintf(filter->count, sizeof filter->count, "%d", atoi(filter->count) + 1);
  return RSP_OK;
}

static const rsp_result *results(rsp_filter *filter, uint32_t *count) {
  filter->results[0] = (rsp_result){
      .struct_size = sizeof *filter->results, .name = "frames", .value = filter->count, .unit = "frames"};
  filter->results[1] = (rsp_result){.struct_size = sizeof *filter->results, .name = "verdict", .value = "good"};
  *count = COUNT(filter->results);
  return filter->results;
}

static void close_filter(rsp_filter *filter) {
  if (filter->held) filter->frame.buffer.release(filter->frame.buffer.owner);
  free(filter);
}

#if defined(NO_SEND)
#define SEND NULL
#else
#define SEND send_frame
#endif
#if !defined(MEDIA)
#define MEDIA RSP_KIND_VIDEO
#endif

static const uint32_t pixel_formats[] = {RSP_PIXEL_YUV420P, RSP_PIXEL_GRAY, 0};
static const rsp_filter_factory filter = {
    .head = {.struct_size = sizeof filter, .kind = RSP_FACTORY_FILTER, .tier = RSP_TIER_PREFERRED, .name = "museum",
             .long_name = "Museum", .pixel_formats = pixel_formats, .flags = RSP_FACTORY_CHANGES_TIMES},
    .media = MEDIA, .open = open_filter, .track = filter_track, .send = SEND,
    .receive = receive_frame, .results = results, .close = close_filter};
#endif

/* Tables */

static const char *const extensions[] = {"museum", NULL};
static const char *const codecs[] = {"pcm_s16le", NULL};
static const rsp_magic magics[] = {{0, 6, (const uint8_t *)"MUSEUM", NULL}};
static const rsp_option options[] = {
    {.struct_size = sizeof *options, .type = RSP_OPTION_INT, .name = "level", .help = "A level", .maximum = 9},
    {.struct_size = sizeof *options, .type = RSP_OPTION_TEXT, .name = "note", .help = "A note"}};

static const rsp_demuxer_factory demuxer = {
    .head = {.struct_size = sizeof demuxer, .kind = RSP_FACTORY_DEMUXER, .tier = RSP_TIER_PREFERRED, .name = "museum",
             .long_name = "Museum", .extensions = extensions, .magics = magics, .magic_count = COUNT(magics)},
    .probe = probe, .open = open_demuxer, .media = media, .select = select_tracks, .read = read_packet,
    .close = close_demuxer};

static const rsp_muxer_factory muxer = {
    .head = {.struct_size = sizeof muxer, .kind = RSP_FACTORY_MUXER, .tier = RSP_TIER_PREFERRED, .name = "museum",
             .long_name = "Museum", .extensions = extensions, .codecs = codecs, .options = options,
             .option_count = COUNT(options), .flags = RSP_FACTORY_KEEPS_CHAPTERS},
    .open = open_muxer, .time_base = time_base, .write = write_packet, .finish = finish, .close = close_muxer};

static const rsp_factory *const factories[] = {
    &demuxer.head, &muxer.head,
#if RSP_ABI_MINOR >= 5u
    &filter.head,
#endif
};
static const rsp_plugin_info info = {.struct_size = sizeof info, .factory_count = COUNT(factories), .name = "museum",
                                     .version = "1.0.0", .license = "MIT", .factories = factories};

static const rsp_plugin_info *describe(const rsp_host *host) {
  (void)host;
  return &info;
}

#if !defined(MINOR)
#define MINOR RSP_ABI_MINOR
#endif
#if !defined(LEAST)
#define LEAST 0
#endif

RSP_EXPORT const rsp_plugin respool_plugin = {sizeof respool_plugin, RSP_ABI_MAJOR, MINOR, LEAST, describe};
