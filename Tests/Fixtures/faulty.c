/* A whole plugin in plain C whose bugs are variants: -DBUG=name builds the one named, and without it the plugin is
   correct.  Tests of the verifier build each variant.  The parts are in the folder `faulty`:

     bugs.h       the names of the bugs
     common.h     errors, counted memory, options
     video.h      encoder of raw video with differences between frames, and a delay of two frames
     videodec.h   its decoder
     audio.h      encoder of PCM with encoder delay and padding, and its decoder
     avc.h        encoder of H.264 that stores uncompressed macroblocks
     container.h  muxer and demuxer of a small container */
#include <respool/plugin.h>

#include "faulty/bugs.h"
#include "faulty/common.h"
#include "faulty/video.h"
#include "faulty/videodec.h"
#include "faulty/audio.h"
#include "faulty/avc.h"
#include "faulty/container.h"

#ifndef PLUGIN_NAME
#define PLUGIN_NAME "faulty"
#endif
#ifndef LICENSE
#define LICENSE "MIT"
#endif
/* -DDEMUXER_ONLY and -DENCODERS_ONLY: the plugin has no other factories. */
#ifdef DEMUXER_ONLY
static const rsp_factory *const factories[] = {&demuxer.head};
#elif defined ENCODERS_ONLY
static const rsp_factory *const factories[] = {&video_encoder.head, &audio_encoder.head};
#else
static const rsp_factory *const factories[] = {&video_encoder.head, &video_decoder.head, &audio_encoder.head,
                                               &audio_decoder.head, &avc_encoder.head,   &muxer.head,
                                               &demuxer.head};
#endif
static const rsp_plugin_info info = {sizeof info, sizeof factories / sizeof *factories, PLUGIN_NAME, "1.0.0",
                                     LICENSE, factories};

static const rsp_plugin_info *describe(const rsp_host *host) {
  (void)host;
  return &info;
}

RSP_EXPORT const rsp_plugin respool_plugin = {
    sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};
