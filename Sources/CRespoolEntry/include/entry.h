/* The constant that every Swift plugin exports.  A Swift plugin defines `respool_plugin_describe`; this
   target, which the SDK links into it, names it in the constant that the ABI asks for. */
#ifndef RESPOOL_ENTRY_H
#define RESPOOL_ENTRY_H

#include <respool/plugin.h>

RSP_C_BEGIN
RSP_NONNULL_BEGIN
const rsp_plugin_info *RSP_NULLABLE respool_plugin_describe(const rsp_host *host);
RSP_NONNULL_END
RSP_C_END
#endif
