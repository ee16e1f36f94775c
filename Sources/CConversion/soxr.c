/* Definitions of the soxr functions that Respool uses.  Each calls the function of the same name in the library. */
#include <pthread.h>

#include "conversion.h"
#include "linux_calls.h"

static struct {
  soxr_t (*create)(
      double, double, unsigned, soxr_error_t *, const soxr_io_spec_t *, const soxr_quality_spec_t *,
      const soxr_runtime_spec_t *);
  void (*delete)(soxr_t);
  soxr_error_t (*clear)(soxr_t);
  soxr_error_t (*process)(soxr_t, soxr_in_t, size_t, size_t *, soxr_out_t, size_t, size_t *);
  soxr_io_spec_t (*io_spec)(soxr_datatype_t, soxr_datatype_t);
  soxr_quality_spec_t (*quality_spec)(unsigned long, unsigned long);
  soxr_runtime_spec_t (*runtime_spec)(unsigned);
} soxr;

static const char *const names[] = {"soxr_create",  "soxr_delete",       "soxr_clear",
                                    "soxr_process", "soxr_io_spec",      "soxr_quality_spec",
                                    "soxr_runtime_spec"};
static const char *failure;

static void open_library(void) {
  _Static_assert(sizeof soxr == sizeof names, "a name to each function");
  failure = linux_open_functions(
      "libsoxr.so.0", names, (void **)&soxr, sizeof names / sizeof *names);
}

static int is_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return !failure;
}

soxr_t soxr_create(
    double source, double target, unsigned channels, soxr_error_t *error, const soxr_io_spec_t *io,
    const soxr_quality_spec_t *quality, const soxr_runtime_spec_t *runtime) {
  if (is_open()) return soxr.create(source, target, channels, error, io, quality, runtime);
  if (error) *error = failure;
  return 0;
}

/* The specifications are made before soxr_create.  Without the library they are zeros, and soxr_create fails. */
soxr_io_spec_t soxr_io_spec(soxr_datatype_t source, soxr_datatype_t target) {
  return is_open() ? soxr.io_spec(source, target) : (soxr_io_spec_t){0};
}

soxr_quality_spec_t soxr_quality_spec(unsigned long recipe, unsigned long flags) {
  return is_open() ? soxr.quality_spec(recipe, flags) : (soxr_quality_spec_t){0};
}

soxr_runtime_spec_t soxr_runtime_spec(unsigned threads) {
  return is_open() ? soxr.runtime_spec(threads) : (soxr_runtime_spec_t){0};
}

/* A soxr_t exists only if the library is open. */
void soxr_delete(soxr_t handle) { soxr.delete(handle); }

soxr_error_t soxr_clear(soxr_t handle) { return soxr.clear(handle); }

soxr_error_t soxr_process(
    soxr_t handle, soxr_in_t input, size_t count, size_t *used, soxr_out_t output, size_t room,
    size_t *made) {
  return soxr.process(handle, input, count, used, output, room, made);
}
