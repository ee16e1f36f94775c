/* The functions of cairo, pango and GObject that Respool uses.

   They are declared here, as in the reference of the libraries, so that building does not need the headers, which
   come with about twenty packages. These interfaces have been stable since cairo 1.0 and pango 1.16. */
#ifndef RESPOOL_DRAWING_LIBRARIES_H
#define RESPOOL_DRAWING_LIBRARIES_H

typedef struct cairo cairo_t;
typedef struct cairo_surface cairo_surface_t;
typedef struct cairo_pattern cairo_pattern_t;
typedef struct cairo_font_options cairo_font_options_t;
typedef struct PangoLayout PangoLayout;
typedef struct PangoContext PangoContext;
typedef struct PangoFontDescription PangoFontDescription;
typedef struct {
  int x, y, width, height;
} PangoRectangle;

enum { CAIRO_STATUS_SUCCESS = 0, CAIRO_STATUS_NO_MEMORY = 1 };
enum { CAIRO_FORMAT_ARGB32 = 0 };
enum { CAIRO_EXTEND_PAD = 3 };
enum { CAIRO_FILTER_GOOD = 1 };
enum { CAIRO_LINE_JOIN_ROUND = 1 };
enum { CAIRO_ANTIALIAS_GRAY = 2 };
enum { CAIRO_HINT_STYLE_NONE = 1 };
enum { CAIRO_HINT_METRICS_OFF = 1 };
enum { PANGO_SCALE = 1024 };
enum { PANGO_WRAP_WORD_CHAR = 2 };

#define CAIRO_FUNCTIONS(F)                                                                        \
  F(const char *, status_to_string, (int))                                                        \
  F(cairo_surface_t *, image_surface_create_from_png, (const char *))                             \
  F(cairo_surface_t *, image_surface_create, (int, int, int))                                     \
  F(cairo_surface_t *, image_surface_create_for_data, (unsigned char *, int, int, int, int))      \
  F(int, image_surface_get_width, (cairo_surface_t *))                                            \
  F(int, image_surface_get_height, (cairo_surface_t *))                                           \
  F(int, surface_status, (cairo_surface_t *))                                                     \
  F(void, surface_flush, (cairo_surface_t *))                                                     \
  F(void, surface_destroy, (cairo_surface_t *))                                                   \
  F(cairo_t *, create, (cairo_surface_t *))                                                       \
  F(void, destroy, (cairo_t *))                                                                   \
  F(int, status, (cairo_t *))                                                                     \
  F(void, translate, (cairo_t *, double, double))                                                 \
  F(void, scale, (cairo_t *, double, double))                                                     \
  F(void, set_source_surface, (cairo_t *, cairo_surface_t *, double, double))                     \
  F(void, set_source_rgba, (cairo_t *, double, double, double, double))                           \
  F(cairo_pattern_t *, get_source, (cairo_t *))                                                   \
  F(void, pattern_set_filter, (cairo_pattern_t *, int))                                           \
  F(void, pattern_set_extend, (cairo_pattern_t *, int))                                           \
  F(void, rectangle, (cairo_t *, double, double, double, double))                                 \
  F(void, fill, (cairo_t *))                                                                      \
  F(void, stroke, (cairo_t *))                                                                    \
  F(void, new_path, (cairo_t *))                                                                  \
  F(void, move_to, (cairo_t *, double, double))                                                   \
  F(void, set_line_width, (cairo_t *, double))                                                    \
  F(void, set_line_join, (cairo_t *, int))                                                        \
  F(cairo_font_options_t *, font_options_create, (void))                                          \
  F(void, font_options_set_antialias, (cairo_font_options_t *, int))                              \
  F(void, font_options_set_hint_style, (cairo_font_options_t *, int))                             \
  F(void, font_options_set_hint_metrics, (cairo_font_options_t *, int))                           \
  F(void, font_options_destroy, (cairo_font_options_t *))

#define PANGO_FUNCTIONS(F)                                                                        \
  F(void, layout_set_text, (PangoLayout *, const char *, int))                                    \
  F(void, layout_set_font_description, (PangoLayout *, const PangoFontDescription *))             \
  F(void, layout_set_width, (PangoLayout *, int))                                                 \
  F(void, layout_set_wrap, (PangoLayout *, int))                                                  \
  F(void, layout_set_alignment, (PangoLayout *, int))                                             \
  F(int, layout_get_unknown_glyphs_count, (PangoLayout *))                                        \
  F(void, layout_get_extents, (PangoLayout *, PangoRectangle *, PangoRectangle *))                \
  F(void, layout_context_changed, (PangoLayout *))                                                \
  F(PangoContext *, layout_get_context, (PangoLayout *))                                          \
  F(PangoFontDescription *, font_description_from_string, (const char *))                         \
  F(void, font_description_set_absolute_size, (PangoFontDescription *, double))                   \
  F(void, font_description_free, (PangoFontDescription *))

#define PANGOCAIRO_FUNCTIONS(F)                                                                   \
  F(PangoLayout *, create_layout, (cairo_t *))                                                    \
  F(void, update_layout, (cairo_t *, PangoLayout *))                                              \
  F(void, show_layout, (cairo_t *, PangoLayout *))                                                \
  F(void, layout_path, (cairo_t *, PangoLayout *))                                                \
  F(void, context_set_font_options, (PangoContext *, const cairo_font_options_t *))

#define GOBJECT_FUNCTIONS(F) F(void, object_unref, (void *))

#endif
