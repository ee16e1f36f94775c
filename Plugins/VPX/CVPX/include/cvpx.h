/* The parts of libvpx that Swift cannot import: version-checking macros, variadic controls, unions, array
   members. */
#ifndef CVPX_H
#define CVPX_H

#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

static inline vpx_codec_iface_t *cvpx_encoder_interface(int is_vp9) {
  return is_vp9 ? vpx_codec_vp9_cx() : vpx_codec_vp8_cx();
}

static inline vpx_codec_iface_t *cvpx_decoder_interface(int is_vp9) {
  return is_vp9 ? vpx_codec_vp9_dx() : vpx_codec_vp8_dx();
}

static inline vpx_codec_err_t cvpx_encoder_init(vpx_codec_ctx_t *context, vpx_codec_iface_t *interface,
                                                const vpx_codec_enc_cfg_t *configuration, int is_deep) {
  return vpx_codec_enc_init(context, interface, configuration, is_deep ? VPX_CODEC_USE_HIGHBITDEPTH : 0);
}

static inline vpx_codec_err_t cvpx_decoder_init(vpx_codec_ctx_t *context, vpx_codec_iface_t *interface,
                                                const vpx_codec_dec_cfg_t *configuration) {
  return vpx_codec_dec_init(context, interface, configuration, 0);
}

/* Sets a control of an encoder. Every control that Respool uses takes an int or an unsigned int. */
static inline vpx_codec_err_t cvpx_control(vpx_codec_ctx_t *context, int control, int value) {
  return vpx_codec_control_(context, control, value);
}

static inline int cvpx_frame_is_corrupted(vpx_codec_ctx_t *context) {
  int corrupted = 0;
  return vpx_codec_control_(context, VP8D_GET_FRAME_CORRUPTED, &corrupted) == VPX_CODEC_OK && corrupted;
}

/* The bytes of a packet of the encoder, which the encoder owns. `data` is NULL for packets of another kind. */
typedef struct cvpx_coded {
  const void *data;
  size_t size;
  vpx_codec_pts_t pts;
  int is_key, is_invisible;
} cvpx_coded;

/* Returns the coded frame of a packet. */
static inline cvpx_coded cvpx_coded_frame(const vpx_codec_cx_pkt_t *packet) {
  cvpx_coded coded = {0};
  if (packet->kind != VPX_CODEC_CX_FRAME_PKT) return coded;
  coded.data = packet->data.frame.buf;
  coded.size = packet->data.frame.sz;
  coded.pts = packet->data.frame.pts;
  coded.is_key = (packet->data.frame.flags & VPX_FRAME_IS_KEY) != 0;
  coded.is_invisible = (packet->data.frame.flags & VPX_FRAME_IS_INVISIBLE) != 0;
  return coded;
}

/* Returns the statistics of the first pass of a packet. */
static inline cvpx_coded cvpx_statistics(const vpx_codec_cx_pkt_t *packet) {
  cvpx_coded coded = {0};
  if (packet->kind != VPX_CODEC_STATS_PKT) return coded;
  coded.data = packet->data.twopass_stats.buf;
  coded.size = packet->data.twopass_stats.sz;
  return coded;
}

/* Sets up the description of a frame without its planes, which cvpx_set_plane sets. */
void cvpx_describe(vpx_image_t *image, int format, unsigned width, unsigned height, unsigned shift_x,
                   unsigned shift_y, unsigned depth);

static inline void cvpx_set_plane(vpx_image_t *image, int index, const void *base, int stride) {
  image->planes[index] = (unsigned char *)base;
  image->stride[index] = stride;
}

static inline void *cvpx_plane(const vpx_image_t *image, int index) { return image->planes[index]; }
static inline int cvpx_stride(const vpx_image_t *image, int index) { return image->stride[index]; }

#endif
