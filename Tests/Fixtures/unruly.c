/* A plugin whose demuxer recognises files by their first eight bytes, and misbehaves as these say:
   CRASHNOW, ABORTNOW, THROWNOW (with thrower.cpp), SANITIZE, EXITNOW_, HANGNOW_ when the file is opened, CRASHRD_, HANGREAD when it is read;
   FORGECNV, FORGEPLN, FLOODING write into the pipes of the process when the file is opened: answers of a worker that
   a file is converted or planned, or a line without an end; SLOWOPEN computes for 5 s when it is opened, PLANLONG for ever;
   CRASHLAT, EXITLATE leave a thread that ends the process a little after the file is closed.  GOODFILE behaves.
   With REJECTS_WAVE it also recognises RIFF files and rejects them.  A file that opens holds a tenth of a second of silence. */
#include <respool/plugin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(USES_STUB)
extern int stub_library_function(void);
int use_the_library(void) { return stub_library_function(); }
#endif

#if defined(THROWS)
extern void throw_now(void);
#else
static void throw_now(void) {}
#endif

#define RATE 8000
#define SAMPLES 800

/* How long a thread waits, in microseconds: longer than it takes to answer for a file. */
#define DELAY 600000

struct rsp_demuxer {
  int crashes, hangs, isRead;
  void *(*ending)(void *);
  rsp_track track;
  const rsp_track *tracks[1];
  rsp_media media;
};

static const char *const words[] = {"CRASHNOW", "ABORTNOW", "EXITNOW_", "HANGNOW_",
                                    "CRASHRD_", "CRASHLAT", "EXITLATE", "GOODFILE", "HANGREAD",
                                    "THROWNOW", "SANITIZE", "FORGECNV", "FORGEPLN", "FLOODING",
                                    "SLOWOPEN", "PLANLONG"};
#define WORDS (sizeof words / sizeof *words)

static int16_t silence[SAMPLES];

static int is(const uint8_t *head, const char *word) { return memcmp(head, word, 8) == 0; }

static int32_t probe(const rsp_factory *f, const uint8_t *b, size_t c, const char *n) {
#if defined(REJECTS_WAVE)
  if (c >= 8 && memcmp(b, "RIFF", 4) == 0) return 100;
#endif
  for (size_t i = 0; c >= 8 && i < WORDS; i++)
    if (is(b, words[i])) return 100;
  return 0;
}

/* Exported, so that the report of a crash can name it. */
RSP_EXPORT __attribute__((noinline)) void unruly_explode(void) {
  *(volatile int *)8 = 0;
  /* Keeps the call from being the last, which would take this function from the stack. */
  __asm__ volatile("");
}

/* Writes a text into each pipe that is open for writing, but for the standard descriptors. */
static void write_into_pipes(const char *text, size_t length) {
  for (int number = 3; number < 64; number++) {
    struct stat status;
    if (fstat(number, &status) != 0 || !S_ISFIFO(status.st_mode)) continue;
    if (write(number, text, length) < 0) continue;
  }
}

static void forge(const char *kind, const char *rest) {
  char line[200];
  for (int file = 0; file < 8; file++) {
    int length = snprintf(line, sizeof line, "%s\t%d\t0\t%s\n", kind, file, rest);
    write_into_pipes(line, (size_t)length);
  }
}

static void flood(void) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block);
  for (int count = 0; count < 32; count++) write_into_pipes(block, sizeof block);
}

static void *explode_later(void *unused) {
  usleep(DELAY);
  unruly_explode();
  return unused;
}

static void *exit_later(void *unused) {
  usleep(DELAY);
  exit(0);
  return unused;
}

static void start(void *(*body)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_detach(thread);
}

static rsp_status demux(const rsp_factory *f, const rsp_source *s, const rsp_options *o, rsp_demuxer **result,
                        rsp_error *e) {
  uint8_t head[8] = {0};
  s->read_at(s->context, 0, head, 8);
  if (memcmp(head, "RIFF", 4) == 0) {
    strcpy(e->message, "the wave is too wild");
    return RSP_ERROR_MALFORMED;
  }
  if (is(head, "CRASHNOW")) unruly_explode();
  if (is(head, "ABORTNOW")) abort();
  if (is(head, "THROWNOW")) throw_now();
  if (is(head, "SANITIZE")) {
    /* The last lines of AddressSanitizer. */
    fprintf(stderr, "SUMMARY: AddressSanitizer: heap-buffer-overflow tables.c:12 in load\n==12==ABORTING\n");
    _exit(1);
  }
  if (is(head, "FORGECNV")) forge("converted", "-\t0");
  if (is(head, "FORGEPLN")) forge("planned", "convert\t-\t../../forged\t1\t1\t0");
  if (is(head, "FLOODING")) flood();
  if (is(head, "SLOWOPEN"))
    for (clock_t end = clock() + 5 * CLOCKS_PER_SEC; clock() < end;) {}
  while (is(head, "PLANLONG")) clock();
  if (is(head, "EXITNOW_")) exit(0);
  while (is(head, "HANGNOW_")) pause();
  rsp_demuxer *d = calloc(1, sizeof *d);
  d->crashes = is(head, "CRASHRD_");
  d->hangs = is(head, "HANGREAD");
  d->ending = is(head, "CRASHLAT") ? explode_later : is(head, "EXITLATE") ? exit_later : NULL;
  rsp_track *t = &d->track;
  t->struct_size = sizeof *t;
  t->kind = RSP_KIND_AUDIO;
  t->id = 1;
  t->codec = "pcm_s16le";
  t->time_base = (rsp_rational){1, RATE};
  t->duration = SAMPLES;
  t->packet_count = RSP_UNKNOWN;
  t->profile = t->level = -1;
  t->sample_rate = RATE;
  t->channels = 1;
  t->sample_format = RSP_SAMPLE_S16;
  t->bits_per_sample = 16;
  d->tracks[0] = t;
  d->media = (rsp_media){.struct_size = sizeof(rsp_media), .track_count = 1, .tracks = d->tracks,
                         .format = "unruly", .duration = 100000000};
  *result = d;
  return RSP_OK;
}

static const rsp_media *media(rsp_demuxer *d) { return &d->media; }
static rsp_status select_tracks(rsp_demuxer *d, const uint8_t *w, uint32_t c, rsp_error *e) { return RSP_OK; }

static rsp_status read_packet(rsp_demuxer *d, rsp_packet *p, rsp_error *e) {
  if (d->crashes) unruly_explode();
  while (d->hangs) pause();
  if (d->isRead) return RSP_END;
  d->isRead = 1;
  p->track = 0;
  p->flags = RSP_PACKET_KEY;
  p->pts = p->dts = 0;
  p->duration = SAMPLES;
  p->buffer = (rsp_buffer){(uint8_t *)silence, sizeof silence, NULL, NULL, NULL};
  return RSP_OK;
}

static void close_demuxer(rsp_demuxer *d) {
  if (d->ending) start(d->ending);
  free(d);
}

static const rsp_magic magics[] = {
    {0, 8, (const uint8_t *)"CRASHNOW"}, {0, 8, (const uint8_t *)"ABORTNOW"},
    {0, 8, (const uint8_t *)"EXITNOW_"}, {0, 8, (const uint8_t *)"HANGNOW_"},
    {0, 8, (const uint8_t *)"CRASHRD_"}, {0, 8, (const uint8_t *)"CRASHLAT"},
    {0, 8, (const uint8_t *)"EXITLATE"}, {0, 8, (const uint8_t *)"GOODFILE"},
    {0, 8, (const uint8_t *)"HANGREAD"}, {0, 8, (const uint8_t *)"THROWNOW"},
    {0, 8, (const uint8_t *)"SANITIZE"}, {0, 8, (const uint8_t *)"FORGECNV"},
    {0, 8, (const uint8_t *)"FORGEPLN"}, {0, 8, (const uint8_t *)"FLOODING"},
    {0, 8, (const uint8_t *)"SLOWOPEN"}, {0, 8, (const uint8_t *)"PLANLONG"},
#if defined(REJECTS_WAVE)
    {0, 4, (const uint8_t *)"RIFF"},
#endif
};

static const rsp_demuxer_factory demuxer = {
    .head = {.struct_size = sizeof(rsp_demuxer_factory), .kind = RSP_FACTORY_DEMUXER, .name = "unruly",
             .tier = RSP_TIER_PREFERRED, .long_name = "Unruly", .magics = magics, .magic_count = sizeof magics / sizeof *magics},
    .probe = probe, .open = demux, .media = media, .select = select_tracks, .read = read_packet,
    .close = close_demuxer};

static const rsp_factory *const factories[] = {&demuxer.head};
static const rsp_plugin_info info = {sizeof info, 1, "unruly", "1", "MIT", factories};
static const rsp_plugin_info *describe(const rsp_host *host) { return &info; }

RSP_EXPORT const rsp_plugin respool_plugin = {
    sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};
