#include "include/cx265.h"

const x265_api *cx265_api(int bit_depth) {
  const x265_api *api = x265_api_get(bit_depth);
  if (!api || api->bit_depth != bit_depth || api->sizeof_param != (int)sizeof(x265_param) ||
      api->sizeof_picture != (int)sizeof(x265_picture))
    return NULL;
  return api;
}
