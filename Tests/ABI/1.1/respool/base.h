/* Types that every part of the plugin ABI uses: status, error record, buffer, key and value. */
#ifndef RESPOOL_BASE_H
#define RESPOOL_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define RSP_NULLABLE _Nullable
#define RSP_NONNULL _Nonnull
#define RSP_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define RSP_NONNULL_END _Pragma("clang assume_nonnull end")
#else
#define RSP_NULLABLE
#define RSP_NONNULL
#define RSP_NONNULL_BEGIN
#define RSP_NONNULL_END
#endif

/* Tells the Swift importer that a struct is immutable shared data. */
#if defined(__swift__)
#define RSP_SENDABLE __attribute__((swift_attr("@Sendable")))
#else
#define RSP_SENDABLE
#endif

#if defined(__cplusplus)
#define RSP_C_BEGIN extern "C" {
#define RSP_C_END }
#define RSP_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define RSP_C_BEGIN
#define RSP_C_END
#define RSP_EXPORT __attribute__((visibility("default")))
#endif

RSP_C_BEGIN
RSP_NONNULL_BEGIN

/* What a call came to.  Zero and above: it went well.  Below zero: it failed, and the call's
   rsp_error, where it has one, says why. */
typedef int32_t rsp_status;
enum {
  RSP_OK = 0,
  RSP_AGAIN = 1,              /* nothing to give yet: feed more input */
  RSP_END = 2,                /* nothing more will come */
  RSP_ERROR_IO = -1,          /* the source or the sink failed */
  RSP_ERROR_MALFORMED = -2,   /* the input breaks its own format */
  RSP_ERROR_UNSUPPORTED = -3, /* well formed, but not something this code does */
  RSP_ERROR_LIMIT = -4,       /* a stated limit would be exceeded */
  RSP_ERROR_ARGUMENT = -5,    /* the caller asked for something invalid */
  RSP_ERROR_PLUGIN = -6,      /* the plugin, or a library below it, failed */
  RSP_ERROR_CANCELLED = -7,   /* the host asked to stop */
  RSP_ERROR_INTERNAL = -8     /* a defect in the code that answers */
};

/* Stands for "not known" wherever a time or a count is asked for. */
#define RSP_NO_TIME INT64_MIN
#define RSP_UNKNOWN ((int64_t)-1)

/* Why a call failed.  The caller owns the struct, sets struct_size and zeroes the rest; the callee
   fills it in only when it returns an error.  Strings are UTF-8, ended by a zero byte, cut to fit. */
typedef struct rsp_error {
  uint32_t struct_size;
  rsp_status status;
  int64_t offset;    /* byte offset in the source, RSP_UNKNOWN where there is none */
  int32_t track;     /* index of the track, -1 where there is none */
  uint32_t reserved;
  char message[512]; /* what was found and what was expected, one sentence */
  char path[128];    /* path of the element, such as "moov/trak[1]/stbl/stts", or "" */
} rsp_error;

/* Reference-counted bytes.  `owner` belongs to whoever allocated them.  Each holder of a reference
   drops it with release(owner), from any thread.  Where owner is NULL the bytes are only lent: they
   are valid until the call returns, and who wants to keep them copies them.
   Bytes are never written to once they have been handed over. */
typedef struct rsp_buffer {
  uint8_t *RSP_NULLABLE data;
  size_t size;
  void *RSP_NULLABLE owner;
  void (*RSP_NULLABLE retain)(void *owner);
  void (*RSP_NULLABLE release)(void *owner);
} rsp_buffer;

/* num/den; 0/0 and 0/1 mean "not known".  den is never negative. */
typedef struct rsp_rational {
  int32_t num;
  int32_t den;
} rsp_rational;

/* A named text, UTF-8.  Used for metadata (names as FFmpeg spells them: "title", "artist") and for
   option values. */
typedef struct rsp_text {
  const char *name;
  const char *value;
} rsp_text;

RSP_NONNULL_END
RSP_C_END
#endif
