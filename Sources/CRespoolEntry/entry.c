#include "entry.h"

RSP_EXPORT const rsp_plugin respool_plugin = {
    sizeof(rsp_plugin), RSP_ABI_MAJOR, RSP_ABI_MINOR, 1, respool_plugin_describe};
