#include "entry.h"

RSP_EXPORT const rsp_plugin respool_plugin = {
    .struct_size = sizeof(rsp_plugin),
    .abi_major = RSP_ABI_MAJOR,
    .abi_minor = RSP_ABI_MINOR,
    .least_host_minor = 1, /* RespoolPlugin reads no field that the host lacks; 0 would mean abi_minor */
    .describe = respool_plugin_describe};
