/* Images and texts as pixels, drawn by cairo and pango. Both are opened when they are first needed:
   linked, they and what they need in turn would cost every start of the command more than all the
   rest.

   What begins with `respool_drawing_open` and `respool_drawing_paint` gives null, or the reason why
   it did not work, which stays valid. A drawing is used by one thread at a time. */
#ifndef RESPOOL_DRAWING_H
#define RESPOOL_DRAWING_H
#include <stdint.h>

typedef struct respool_drawing respool_drawing;

/* Colours are red, green, blue and alpha, 0 to 1, not premultiplied; lengths are pixels. */
typedef struct respool_text {
  const char *text; /* UTF-8 */
  const char *font; /* as pango names fonts, such as "DejaVu Sans Bold"; sizes do not count */
  double size;      /* of the em */
  double color[4];
  double outline[4];
  double outline_width; /* beyond the letters; 0 for none */
  double shadow[4];     /* alpha 0 for none */
  double shadow_x, shadow_y;
  double wrap_width; /* 0: lines end only where the text says; words that are longer are broken */
  int alignment;     /* 0 left, 1 centre, 2 right */
} respool_text;

const char *respool_drawing_open_image(const char *path, respool_drawing **made);
const char *respool_drawing_open_text(const respool_text *text, respool_drawing **made);
void respool_drawing_free(respool_drawing *drawing);

/* How large it is drawn at a scale of 1. */
void respool_drawing_size(const respool_drawing *drawing, double *width, double *height);

/* Characters of a text that no font has, which are drawn as boxes; 0 for an image. */
int respool_drawing_unknown_characters(const respool_drawing *drawing);

/* Draws into native words 0xAARRGGBB, premultiplied, which were zero: its top left at x, y. */
const char *respool_drawing_paint(
    respool_drawing *drawing, uint32_t *pixels, int width, int height, int stride, double x,
    double y, double scale_x, double scale_y);

#endif
