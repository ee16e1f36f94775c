/* Drawing of images and texts with cairo and pango. Both are opened when they are first needed: linking them and
   their dependencies would slow down every start of the command more than everything else together.

   Functions that begin with `respool_drawing_open` or `respool_drawing_paint` return NULL, or the reason of the
   failure, which is valid until the process ends. One thread at a time uses a drawing. */
#ifndef RESPOOL_DRAWING_H
#define RESPOOL_DRAWING_H
#include <stdint.h>

typedef struct respool_drawing respool_drawing;

/* A text and its style. Colors are red, green, blue and alpha, 0 to 1, not premultiplied. Lengths are in pixels. */
typedef struct respool_text {
  const char *text; /* UTF-8 */
  const char *font; /* pango's name of the font, such as "DejaVu Sans Bold"; a size in it is ignored */
  double size;      /* of the em */
  double color[4];
  double outline[4];
  double outline_width; /* outside the letters; 0: none */
  double shadow[4];     /* alpha 0: none */
  double shadow_x, shadow_y; /* offset of the shadow: to the right and down */
  double wrap_width; /* maximum width of a line; longer words are broken; 0: only newlines end lines */
  int alignment;     /* 0 left, 1 center, 2 right */
} respool_text;

/* Opens a PNG file. On success the caller owns `*made`. */
const char *respool_drawing_open_image(const char *path, respool_drawing **made);
/* Makes a drawing of a text, which is used only during the call. On success the caller owns `*made`. */
const char *respool_drawing_open_text(const respool_text *text, respool_drawing **made);
/* Frees a drawing. NULL: does nothing. */
void respool_drawing_free(respool_drawing *drawing);

/* Returns the size at a scale of 1, in pixels. */
void respool_drawing_size(const respool_drawing *drawing, double *width, double *height);

/* Returns the number of characters of a text that no font has. They are drawn as boxes. 0 for an image. */
int respool_drawing_unknown_characters(const respool_drawing *drawing);

/* Draws with the top left corner at `x`, `y`. `pixels` are 32-bit numbers 0xAARRGGBB in native byte order, with
   premultiplied colors; they must be 0 before the call. `stride` is in bytes. */
const char *respool_drawing_paint(
    respool_drawing *drawing, uint32_t *pixels, int width, int height, int stride, double x,
    double y, double scale_x, double scale_y);

#endif
