/* The Respool plugin ABI.  A plugin is a shared object that exports one symbol, `respool_plugin`:

     static const rsp_factory *const factories[] = {&my_decoder.head};
     static const rsp_plugin_info info = {sizeof info, 1, "mine", "1.0.0", "MIT", factories};
     static const rsp_plugin_info *describe(const rsp_host *host) { return &info; }
     RSP_EXPORT const rsp_plugin respool_plugin = {
         sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};

   The host reads the constant before it runs any of the plugin's code.  It refuses another major;
   a smaller minor is fine, and it reads of every struct no more than its struct_size says.  What is
   new in a minor comes as fields at the end or as an extension asked for by its name. */
#ifndef RESPOOL_PLUGIN_H
#define RESPOOL_PLUGIN_H

#include "decoder.h"
#include "demuxer.h"
#include "encoder.h"
#include "muxer.h"

RSP_C_BEGIN
RSP_NONNULL_BEGIN

#define RSP_ABI_MAJOR 1u
#define RSP_ABI_MINOR 1u
#define RSP_PLUGIN_SYMBOL "respool_plugin"

/* Immutable, lives until the process ends. */
typedef struct RSP_SENDABLE rsp_plugin_info {
  uint32_t struct_size;
  uint32_t factory_count;
  const char *name;    /* unique among plugins: the first on the search path wins */
  const char *version; /* the plugin's own, "1.2.3" */
  const char *license; /* SPDX expression of the plugin with what it links, such as "GPL-2.0-or-later" */
  const rsp_factory *RSP_NULLABLE const *RSP_NULLABLE factories;
} rsp_plugin_info;

/* The exported constant. */
typedef struct RSP_SENDABLE rsp_plugin {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved;
  /* Called once, on any thread, before anything else.  `host` lives until the process ends.
     NULL: the plugin cannot work with this host. */
  const rsp_plugin_info *RSP_NULLABLE (*RSP_NONNULL describe)(const rsp_host *host);
} rsp_plugin;

RSP_NONNULL_END
RSP_C_END
#endif
