/* A library whose debug information has every struct of the ABI.  abidiff compares one built from old headers with one
   built from today's. */
#include <respool/plugin.h>

#define USE(type) RSP_EXPORT void use_##type(const type *value) { (void)value; }

USE(rsp_plugin)
USE(rsp_demuxer_factory)
USE(rsp_decoder_factory)
USE(rsp_encoder_factory)
USE(rsp_muxer_factory)
#if RSP_ABI_MINOR >= 3u
USE(rsp_demuxing)
USE(rsp_muxing)
#endif
#if RSP_ABI_MINOR >= 5u
USE(rsp_encoding)
USE(rsp_filter_factory)
USE(rsp_result)
#endif
