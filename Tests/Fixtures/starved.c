/* Preloaded, it lets memory run out in one library: its calls for aligned memory fail from number STARVED_AFTER on.
   STARVED is a part of the library's file name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int starves(const void *caller) {
  static int calls;
  const char *library = getenv("STARVED"), *limit = getenv("STARVED_AFTER");
  Dl_info info;
  if (!library || !limit || !dladdr(caller, &info) || !info.dli_fname) return 0;
  if (!strstr(info.dli_fname, library)) return 0;
  return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) >= atoi(limit);
}

void *memalign(size_t alignment, size_t size) {
  static void *(*real)(size_t, size_t);
  if (starves(__builtin_return_address(0))) {
    errno = ENOMEM;
    return NULL;
  }
  if (!real) real = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "memalign");
  return real(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  static int (*real)(void **, size_t, size_t);
  if (starves(__builtin_return_address(0))) return ENOMEM;
  if (!real) real = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
  return real(result, alignment, size);
}
