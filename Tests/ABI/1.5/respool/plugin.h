/* The Respool plugin ABI.  A plugin is a shared object that exports one symbol, `respool_plugin`:

     static const rsp_factory *const factories[] = {&my_decoder.head};
     static const rsp_plugin_info info = {sizeof info, 1, "mine", "1.0.0", "MIT", factories};
     static const rsp_plugin_info *describe(const rsp_host *host) { return &info; }
     RSP_EXPORT const rsp_plugin respool_plugin = {
         sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};

   The host reads the constant before it calls any function of the plugin.  It refuses another major version and
   accepts every minor version up to its own.  It accepts a later one if `least_host_minor` is not above its own.  A
   minor version adds fields at the end of structs, or extensions that are asked for by name.  base.h has the rules
   for struct_size. */
#ifndef RESPOOL_PLUGIN_H
#define RESPOOL_PLUGIN_H

#include "decoder.h"
#include "demuxer.h"
#include "encoder.h"
#include "filter.h"
#include "muxer.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

#define RSP_ABI_MAJOR 1u
#define RSP_ABI_MINOR 5u
#define RSP_PLUGIN_SYMBOL "respool_plugin"

/* Description of a plugin.  Immutable, lives until the process ends.  No string is NULL. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_plugin_info) {
  uint32_t struct_size;
  uint32_t factory_count; /* 1 to 4096 */
  const char *name;    /* without "/"; of plugins with one name, the first on the search path is used */
  const char *version; /* of the plugin, such as "1.2.3" */
  const char *license; /* SPDX expression for the plugin and its libraries, such as "GPL-2.0-or-later" */
  /* `factory_count` pointers, none NULL.  Two factories of one kind have different names.  The host ignores kinds
     that it does not know. */
  const rsp_factory *RSP_NULLABLE const *RSP_NULLABLE factories;
  RSP_GROWTH
} rsp_plugin_info;

/* The exported constant. */
typedef struct RSP_SENDABLE RSP_STRUCT(rsp_plugin) {
  uint32_t struct_size;
  uint32_t abi_major; /* RSP_ABI_MAJOR */
  uint32_t abi_minor; /* RSP_ABI_MINOR of the header that the plugin was compiled with */
  /* Smallest minor version of a host that the plugin works with.  0: its abi_minor.  A plugin with a smaller number
     reads rsp_host.abi_minor, and the struct_size of every struct that it gets.  Since 1.4, 0 before. */
  uint32_t least_host_minor;
  /* Returns the description of the plugin.  Called once in a process, on any thread, before every other function.
     `host` lives until the process ends.  NULL: the plugin cannot work with this host. */
  const rsp_plugin_info *RSP_NULLABLE (*RSP_NONNULL describe)(const rsp_host *host);
  RSP_GROWTH
} rsp_plugin;

RSP_NONNULL_END
RSP_C_END
#endif
