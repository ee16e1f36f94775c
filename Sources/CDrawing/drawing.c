#include "drawing.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "libraries.h"
#include "linux_calls.h"

#define POINTER(result, name, arguments) result(*name) arguments;
static struct { CAIRO_FUNCTIONS(POINTER) } cairo;
static struct { PANGO_FUNCTIONS(POINTER) } pango;
static struct { PANGOCAIRO_FUNCTIONS(POINTER) } pangocairo;
static struct { GOBJECT_FUNCTIONS(POINTER) } gobject;

#define CAIRO_NAME(result, name, arguments) "cairo_" #name,
static const char *const cairo_names[] = {CAIRO_FUNCTIONS(CAIRO_NAME)};
#define PANGO_NAME(result, name, arguments) "pango_" #name,
static const char *const pango_names[] = {PANGO_FUNCTIONS(PANGO_NAME)};
#define PANGOCAIRO_NAME(result, name, arguments) "pango_cairo_" #name,
static const char *const pangocairo_names[] = {PANGOCAIRO_FUNCTIONS(PANGOCAIRO_NAME)};
#define GOBJECT_NAME(result, name, arguments) "g_" #name,
static const char *const gobject_names[] = {GOBJECT_FUNCTIONS(GOBJECT_NAME)};

static const char *failure;

#define OPEN(library, table)                                                                      \
  linux_open_functions(library, table##_names, (void **)&table, sizeof table / sizeof(void *))

static void open_libraries(void) {
  const char *reason = OPEN("libcairo.so.2", cairo);
  if (!reason) reason = OPEN("libgobject-2.0.so.0", gobject);
  if (!reason) reason = OPEN("libpango-1.0.so.0", pango);
  if (!reason) reason = OPEN("libpangocairo-1.0.so.0", pangocairo);
  failure = reason;
}

static const char *open_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_libraries);
  return failure;
}

struct respool_drawing {
  cairo_surface_t *image; /* NULL for a text */
  cairo_surface_t *scratch;
  cairo_t *measure;
  PangoLayout *layout;
  respool_text style; /* its strings are NULL after opening */
  double x, y;        /* position of the layout's origin in the drawing */
  double width, height;
};

const char *respool_drawing_open_image(const char *path, respool_drawing **made) {
  const char *reason = open_once();
  if (reason) return reason;
  cairo_surface_t *image = cairo.image_surface_create_from_png(path);
  int status = cairo.surface_status(image);
  respool_drawing *drawing = status == CAIRO_STATUS_SUCCESS ? calloc(1, sizeof *drawing) : 0;
  if (!drawing) {
    cairo.surface_destroy(image);
    if (status == CAIRO_STATUS_SUCCESS) return "no memory";
    /* cairo also returns this status if libpng finds no image in the file. */
    if (status == CAIRO_STATUS_NO_MEMORY) return "it is no PNG or a damaged one, or memory is short";
    return cairo.status_to_string(status);
  }
  drawing->image = image;
  drawing->width = cairo.image_surface_get_width(image);
  drawing->height = cairo.image_surface_get_height(image);
  *made = drawing;
  return 0;
}

/* Turns hinting off: glyphs are not fitted to the pixels, so a text looks the same at every position. */
static void set_options(respool_drawing *drawing) {
  cairo_font_options_t *options = cairo.font_options_create();
  cairo.font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pangocairo.context_set_font_options(pango.layout_get_context(drawing->layout), options);
  pango.layout_context_changed(drawing->layout);
  cairo.font_options_destroy(options);
}

static void measure(respool_drawing *drawing) {
  PangoRectangle ink, logical;
  pango.layout_get_extents(drawing->layout, &ink, &logical);
  const respool_text *style = &drawing->style;
  double left = fmin(ink.x, logical.x) / PANGO_SCALE, top = fmin(ink.y, logical.y) / PANGO_SCALE;
  double right = fmax(ink.x + ink.width, logical.x + logical.width) / PANGO_SCALE;
  double bottom = fmax(ink.y + ink.height, logical.y + logical.height) / PANGO_SCALE;
  double edge = fmax(style->outline_width, 0);
  double shadow_x = style->shadow[3] > 0 ? style->shadow_x : 0;
  double shadow_y = style->shadow[3] > 0 ? style->shadow_y : 0;
  left -= edge - fmin(shadow_x, 0);
  top -= edge - fmin(shadow_y, 0);
  right += edge + fmax(shadow_x, 0);
  bottom += edge + fmax(shadow_y, 0);
  drawing->x = -floor(left);
  drawing->y = -floor(top);
  drawing->width = ceil(right) - floor(left);
  drawing->height = ceil(bottom) - floor(top);
}

const char *respool_drawing_open_text(const respool_text *text, respool_drawing **made) {
  const char *reason = open_once();
  if (reason) return reason;
  respool_drawing *drawing = calloc(1, sizeof *drawing);
  if (!drawing) return "no memory";
  drawing->style = *text;
  drawing->scratch = cairo.image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1);
  drawing->measure = cairo.create(drawing->scratch);
  int status = cairo.status(drawing->measure);
  if (status != CAIRO_STATUS_SUCCESS) {
    respool_drawing_free(drawing);
    return cairo.status_to_string(status);
  }
  drawing->layout = pangocairo.create_layout(drawing->measure);
  set_options(drawing);
  PangoFontDescription *font = pango.font_description_from_string(text->font);
  pango.font_description_set_absolute_size(font, text->size * PANGO_SCALE);
  pango.layout_set_font_description(drawing->layout, font);
  pango.font_description_free(font);
  pango.layout_set_alignment(drawing->layout, text->alignment);
  if (text->wrap_width > 0) {
    pango.layout_set_width(drawing->layout, (int)fmin(text->wrap_width * PANGO_SCALE, 1e9));
    /* Words that are longer than a line are broken, too. */
    pango.layout_set_wrap(drawing->layout, PANGO_WRAP_WORD_CHAR);
  }
  pango.layout_set_text(drawing->layout, text->text, -1);
  drawing->style.text = drawing->style.font = 0;
  measure(drawing);
  *made = drawing;
  return 0;
}

void respool_drawing_free(respool_drawing *drawing) {
  if (!drawing) return;
  if (drawing->image) cairo.surface_destroy(drawing->image);
  if (drawing->layout) gobject.object_unref(drawing->layout);
  if (drawing->measure) cairo.destroy(drawing->measure);
  if (drawing->scratch) cairo.surface_destroy(drawing->scratch);
  free(drawing);
}

void respool_drawing_size(const respool_drawing *drawing, double *width, double *height) {
  *width = drawing->width;
  *height = drawing->height;
}

int respool_drawing_unknown_characters(const respool_drawing *drawing) {
  return drawing->layout ? pango.layout_get_unknown_glyphs_count(drawing->layout) : 0;
}

static void set_color(cairo_t *context, const double color[4]) {
  cairo.set_source_rgba(context, color[0], color[1], color[2], color[3]);
}

static void paint_text(respool_drawing *drawing, cairo_t *context) {
  const respool_text *style = &drawing->style;
  pangocairo.update_layout(context, drawing->layout);
  cairo.set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo.set_line_width(context, 2 * style->outline_width);
  if (style->shadow[3] > 0) {
    set_color(context, style->shadow);
    cairo.move_to(context, drawing->x + style->shadow_x, drawing->y + style->shadow_y);
    if (style->outline_width > 0) {
      pangocairo.layout_path(context, drawing->layout);
      cairo.stroke(context);
      cairo.move_to(context, drawing->x + style->shadow_x, drawing->y + style->shadow_y);
    }
    pangocairo.show_layout(context, drawing->layout);
    cairo.new_path(context);
  }
  cairo.move_to(context, drawing->x, drawing->y);
  if (style->outline_width > 0) {
    set_color(context, style->outline);
    pangocairo.layout_path(context, drawing->layout);
    cairo.stroke(context);
    cairo.move_to(context, drawing->x, drawing->y);
  }
  set_color(context, style->color);
  pangocairo.show_layout(context, drawing->layout);
}

const char *respool_drawing_paint(
    respool_drawing *drawing, uint32_t *pixels, int width, int height, int stride, double x,
    double y, double scale_x, double scale_y) {
  cairo_surface_t *surface = cairo.image_surface_create_for_data(
      (unsigned char *)pixels, CAIRO_FORMAT_ARGB32, width, height, stride);
  cairo_t *context = cairo.create(surface);
  cairo.translate(context, x, y);
  cairo.scale(context, scale_x, scale_y);
  if (drawing->image) {
    cairo.set_source_surface(context, drawing->image, 0, 0);
    /* Keeps the edges sharp: they do not fade to transparent. */
    cairo.pattern_set_extend(cairo.get_source(context), CAIRO_EXTEND_PAD);
    cairo.pattern_set_filter(cairo.get_source(context), CAIRO_FILTER_GOOD);
    cairo.rectangle(context, 0, 0, drawing->width, drawing->height);
    cairo.fill(context);
  } else {
    paint_text(drawing, context);
  }
  int status = cairo.status(context);
  cairo.destroy(context);
  cairo.surface_flush(surface);
  cairo.surface_destroy(surface);
  return status == CAIRO_STATUS_SUCCESS ? 0 : cairo.status_to_string(status);
}
