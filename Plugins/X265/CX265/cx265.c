#include "include/cx265.h"

#include <numa.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Has libnuma print its warning, which it prints once, into memory. In the sandbox it cannot read which nodes of memory there
   are, and would print that the first one is not allowed when libx265 binds its threads to it. */
static void silence_libnuma(void) {
  static atomic_flag is_done = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_done) || !numa_all_nodes_ptr || numa_bitmask_weight(numa_all_nodes_ptr) > 0) return;
  char *text = NULL;
  size_t size = 0;
  FILE *sink = open_memstream(&text, &size);
  struct bitmask *first = numa_allocate_nodemask();
  if (sink && first) {
    FILE *errors = stderr;
    stderr = sink;
    numa_run_on_node_mask(numa_bitmask_setbit(first, 0));
    stderr = errors;
  }
  if (first) numa_bitmask_free(first);
  if (sink) fclose(sink);
  free(text);
}

const x265_api *cx265_api(int bit_depth) {
  silence_libnuma();
  const x265_api *api = x265_api_get(bit_depth);
  if (!api || api->bit_depth != bit_depth || api->sizeof_param != (int)sizeof(x265_param) ||
      api->sizeof_picture != (int)sizeof(x265_picture))
    return NULL;
  return api;
}
