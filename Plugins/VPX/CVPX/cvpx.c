#include "include/cvpx.h"

#include <string.h>

void cvpx_describe(vpx_image_t *image, int format, unsigned width, unsigned height, unsigned shift_x,
                   unsigned shift_y, unsigned depth) {
  memset(image, 0, sizeof *image);
  image->fmt = (vpx_img_fmt_t)format;
  image->w = image->d_w = width;
  image->h = image->d_h = height;
  image->x_chroma_shift = shift_x;
  image->y_chroma_shift = shift_y;
  image->bit_depth = depth;
  image->bps = (int)(depth > 8 ? 16 : 8) * (shift_x && shift_y ? 3 : shift_x || shift_y ? 4 : 6) / 2;
}
