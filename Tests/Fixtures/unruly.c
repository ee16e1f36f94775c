/* A plugin whose demuxer recognises files by their first eight bytes, and misbehaves as these say:
   CRASHNOW, ABORTNOW, THROWNOW (with thrower.cpp), SANITIZE, EXITNOW_, HANGNOW_ when the file is opened, CRASHRD_, HANGREAD when it is read;
   FORGECNV, FORGEPLN, FLOODING write into the pipes of the process when the file is opened: answers of a worker that
   a file is converted or planned, or a line without an end; SLOWOPEN computes for 5 s when it is opened, PLANLONG for ever;
   CRASHLAT, EXITLATE leave a thread that ends the process a little after the file is closed;
   LEAKINGS takes memory without end, CLOSEALL closes all descriptors, OVERFLOW exhausts the stack, FREE2X__ frees twice,
   WRITEOOB writes beyond the end of its memory, KILLPRNT and KILLGRUP kill the supervisor and the process group,
   FORKBOMB starts processes, FLOODERR prints without end, STOPSELF stops the process, DEAFHANG hangs with all signals
   blocked, STEALREQ takes the requests of the worker, FORGEFAI and FORGERDY forge other answers when the file is opened;
   LIESIZE_ returns a packet with more bytes than it has, LIENULLS a track without a pointer, LIETIMES packets whose times
   go back, LIETRACK packets of a track that does not exist, ENDLESS_ packets without end when it is read.
   GOODFILE behaves.
   With REJECTS_WAVE it also recognises RIFF files and rejects them.  A file that opens holds a tenth of a second of silence. */
#include <respool/plugin.h>
#include <pthread.h>
#include <signal.h>
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
  /* The first letters of a lie about packets. */
  char lie[8];
  void *(*ending)(void *);
  rsp_track track;
  const rsp_track *tracks[1];
  rsp_media media;
};

static const char *const words[] = {"CRASHNOW", "ABORTNOW", "EXITNOW_", "HANGNOW_",
                                    "CRASHRD_", "CRASHLAT", "EXITLATE", "GOODFILE", "HANGREAD",
                                    "THROWNOW", "SANITIZE", "FORGECNV", "FORGEPLN", "FLOODING",
                                    "SLOWOPEN", "PLANLONG", "LEAKINGS", "CLOSEALL", "OVERFLOW",
                                    "FREE2X__", "WRITEOOB", "KILLPRNT", "KILLGRUP", "FORKBOMB",
                                    "FLOODERR", "STOPSELF", "DEAFHANG", "STEALREQ", "FORGEFAI",
                                    "FORGERDY", "LIESIZE_", "LIENULLS", "LIETIMES", "LIETRACK",
                                    "ENDLESS_"};
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

/* Each level writes into its own frame, so that the compiler cannot remove it. */
RSP_EXPORT __attribute__((noinline)) int unruly_overflow(int level) {
  volatile char frame[4096];
  frame[0] = (char)level;
  return level < 0 ? 0 : unruly_overflow(level + 1) + frame[0];
}

/* Misbehaves as a word says that concerns the process. */
static void misbehave(const uint8_t *head) {
  while (is(head, "LEAKINGS")) {
    memset(malloc(1 << 20), 1, 1 << 20);
    usleep(200);
  }
  if (is(head, "CLOSEALL"))
    for (int number = 0; number < 1024; number++) close(number);
  if (is(head, "OVERFLOW")) unruly_overflow(0);
  if (is(head, "FREE2X__")) {
    void *volatile memory = malloc(5000);
    free(memory);
    free(memory);
  }
  if (is(head, "WRITEOOB")) {
    /* Far enough to reach the end of the heap. */
    char *volatile memory = malloc(100);
    memset(memory, 'x', 1 << 30);
  }
  if (is(head, "KILLPRNT")) kill(getppid(), SIGKILL);
  if (is(head, "KILLGRUP")) kill(0, SIGKILL);
  if (is(head, "FORKBOMB"))
    for (int count = 0; count < 64; count++)
      if (fork() == 0)
        for (;;) pause();
  while (is(head, "FLOODERR")) fputs("a library prints a line that says nothing\n", stderr);
  if (is(head, "STOPSELF")) raise(SIGSTOP);
  if (is(head, "DEAFHANG")) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;;) pause();
  }
  if (is(head, "STEALREQ")) {
    char request[1 << 15];
    while (read(0, request, sizeof request) > 0) {}
  }
  if (is(head, "FORGEFAI")) forge("failed", "-\tforged");
  if (is(head, "FORGERDY")) forge("ready", "-");
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
  misbehave(head);
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
  memcpy(d->lie, head, 8);
  d->tracks[0] = is(head, "LIENULLS") ? NULL : t;
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
  const uint8_t *lie = (const uint8_t *)d->lie;
  int is_long = is(lie, "ENDLESS_") || (is(lie, "LIETIMES") && d->isRead < 5);
  if (d->isRead && !is_long) return RSP_END;
  p->track = is(lie, "LIETRACK") ? 7 : 0;
  p->flags = RSP_PACKET_KEY;
  p->pts = p->dts = (is(lie, "LIETIMES") ? -SAMPLES : SAMPLES) * (int64_t)d->isRead;
  p->duration = SAMPLES;
  p->buffer = (rsp_buffer){(uint8_t *)silence, is(lie, "LIESIZE_") ? (size_t)1 << 40 : sizeof silence, NULL, NULL, NULL};
  d->isRead++;
  return RSP_OK;
}

static void close_demuxer(rsp_demuxer *d) {
  if (d->ending) start(d->ending);
  free(d);
}

static const rsp_magic magics[] = {
    {0, 8, (const uint8_t *)"CRASHNOW"}, {0, 8, (const uint8_t *)"ABORTNOW"}, {0, 8, (const uint8_t *)"EXITNOW_"},
    {0, 8, (const uint8_t *)"HANGNOW_"}, {0, 8, (const uint8_t *)"CRASHRD_"}, {0, 8, (const uint8_t *)"CRASHLAT"},
    {0, 8, (const uint8_t *)"EXITLATE"}, {0, 8, (const uint8_t *)"GOODFILE"}, {0, 8, (const uint8_t *)"HANGREAD"},
    {0, 8, (const uint8_t *)"THROWNOW"}, {0, 8, (const uint8_t *)"SANITIZE"}, {0, 8, (const uint8_t *)"FORGECNV"},
    {0, 8, (const uint8_t *)"FORGEPLN"}, {0, 8, (const uint8_t *)"FLOODING"}, {0, 8, (const uint8_t *)"SLOWOPEN"},
    {0, 8, (const uint8_t *)"PLANLONG"}, {0, 8, (const uint8_t *)"LEAKINGS"}, {0, 8, (const uint8_t *)"CLOSEALL"},
    {0, 8, (const uint8_t *)"OVERFLOW"}, {0, 8, (const uint8_t *)"FREE2X__"}, {0, 8, (const uint8_t *)"WRITEOOB"},
    {0, 8, (const uint8_t *)"KILLPRNT"}, {0, 8, (const uint8_t *)"KILLGRUP"}, {0, 8, (const uint8_t *)"FORKBOMB"},
    {0, 8, (const uint8_t *)"FLOODERR"}, {0, 8, (const uint8_t *)"STOPSELF"}, {0, 8, (const uint8_t *)"DEAFHANG"},
    {0, 8, (const uint8_t *)"STEALREQ"}, {0, 8, (const uint8_t *)"FORGEFAI"}, {0, 8, (const uint8_t *)"FORGERDY"},
    {0, 8, (const uint8_t *)"LIESIZE_"}, {0, 8, (const uint8_t *)"LIENULLS"}, {0, 8, (const uint8_t *)"LIETIMES"},
    {0, 8, (const uint8_t *)"LIETRACK"}, {0, 8, (const uint8_t *)"ENDLESS_"},
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
