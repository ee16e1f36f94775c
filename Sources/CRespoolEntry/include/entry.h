/* The constant `respool_plugin` for plugins in Swift.  This target, which RespoolPlugin links
   into every Swift plugin, defines the constant.  The Swift plugin defines the function that the constant refers
   to. */
#ifndef RESPOOL_ENTRY_H
#define RESPOOL_ENTRY_H

#include <respool/plugin.h>

RSP_C_BEGIN
RSP_NONNULL_BEGIN
/* Returns the description of the plugin; rsp_plugin.describe in respool/plugin.h states the rules. */
const rsp_plugin_info *RSP_NULLABLE respool_plugin_describe(const rsp_host *host);
RSP_NONNULL_END
RSP_C_END
#endif
