/* Plugins that are wrong, each in the one way that a macro names. */
#include <respool/plugin.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(MISSING_LIBRARY) || defined(UNDEFINED_SYMBOL)
extern int stub_library_function(void);
int use_the_library(void) { return stub_library_function(); }
#endif

#if defined(CRASH)
__attribute__((constructor)) static void crash(void) { raise(SIGSEGV); }
#elif defined(HANG)
__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}
#elif defined(ENDS)
__attribute__((constructor)) static void end(void) { _exit(0); }
#endif

#if defined(EMPTY_NAME)
#define NAME ""
#else
#define NAME "broken"
#endif

static int32_t probe(const rsp_factory *f, const uint8_t *b, size_t c, const char *n) { return 0; }
static rsp_status demux(const rsp_factory *f, const rsp_source *s, const rsp_options *o, rsp_demuxer **d,
                        rsp_error *e) {
  return RSP_ERROR_UNSUPPORTED;
}
static const rsp_media *media(rsp_demuxer *d) { return NULL; }
static rsp_status select_tracks(rsp_demuxer *d, const uint8_t *w, uint32_t c, rsp_error *e) { return RSP_OK; }
static rsp_status read_packet(rsp_demuxer *d, rsp_packet *p, rsp_error *e) { return RSP_END; }
static void close_demuxer(rsp_demuxer *d) {}

#if defined(SMALL_EXTENSION)
static const rsp_demuxing demuxing = {.struct_size = 8};
#else
static const rsp_demuxing demuxing = {.struct_size = sizeof demuxing};
#endif
static const void *extension(const rsp_factory *f, const char *id) {
#if defined(NO_EXTENSION)
  return NULL;
#else
  return &demuxing;
#endif
}

static const rsp_demuxer_factory demuxer = {
#if defined(SMALL_FACTORY)
    .head = {.struct_size = sizeof(rsp_factory), .kind = RSP_FACTORY_DEMUXER,
#else
    .head = {.struct_size = sizeof(rsp_demuxer_factory), .kind = RSP_FACTORY_DEMUXER,
#endif
#if defined(NO_EXTENSION) || defined(SMALL_EXTENSION) || defined(NULL_EXTENSION)
             .flags = RSP_FACTORY_EXACT_END, .extension = extension,
#endif
             .name = "broken", .long_name = "Broken"},
    .probe = probe, .open = demux, .media = media, .select = select_tracks,
#if !defined(NULL_FUNCTION)
    .read = read_packet,
#endif
    .close = close_demuxer};

#if defined(TWICE)
static const rsp_factory *const factories[] = {&demuxer.head, &demuxer.head};
static const rsp_plugin_info info = {sizeof info, 2, NAME, "1", "MIT", factories};
#else
static const rsp_factory *const factories[] = {&demuxer.head};
static const rsp_plugin_info info = {sizeof info, 1, NAME, "1", "MIT", factories};
#endif

static const rsp_plugin_info *describe(const rsp_host *host) {
#if defined(REFUSES)
  return NULL;
#elif defined(CRASH_IN_DESCRIBE) || defined(WRONG_ABI)
  /* Another ABI's code must never run. */
  abort();
#else
  return &info;
#endif
}

#if defined(WRONG_ABI)
RSP_EXPORT const rsp_plugin respool_plugin = {sizeof respool_plugin, RSP_ABI_MAJOR + 41, 0, 0, describe};
#elif defined(SMALL_STRUCT)
RSP_EXPORT const rsp_plugin respool_plugin = {8, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};
#elif !defined(NO_SYMBOL)
RSP_EXPORT const rsp_plugin respool_plugin = {
    sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};
#endif
