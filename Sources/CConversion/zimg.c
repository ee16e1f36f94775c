/* Definitions of the zimg functions that Respool uses.  Each calls the function of the same name in the library. */
#include <stdio.h>
#include <pthread.h>
#include <string.h>

#include "conversion.h"
#include "linux_calls.h"

static struct {
  zimg_error_code_e (*get_last_error)(char *, size_t);
  void (*clear_last_error)(void);
  void (*image_format_default)(zimg_image_format *, unsigned);
  void (*graph_builder_params_default)(zimg_graph_builder_params *, unsigned);
  zimg_filter_graph *(*build)(
      const zimg_image_format *, const zimg_image_format *, const zimg_graph_builder_params *);
  void (*free)(zimg_filter_graph *);
  zimg_error_code_e (*get_tmp_size)(const zimg_filter_graph *, size_t *);
  zimg_error_code_e (*get_input_buffering)(const zimg_filter_graph *, unsigned *);
  zimg_error_code_e (*get_output_buffering)(const zimg_filter_graph *, unsigned *);
  unsigned (*select_buffer_mask)(unsigned);
  zimg_error_code_e (*process)(
      const zimg_filter_graph *, const zimg_image_buffer_const *, const zimg_image_buffer *, void *,
      zimg_filter_graph_callback, void *, zimg_filter_graph_callback, void *);
} zimg;

static const char *const names[] = {"zimg_get_last_error",
                                    "zimg_clear_last_error",
                                    "zimg_image_format_default",
                                    "zimg_graph_builder_params_default",
                                    "zimg_filter_graph_build",
                                    "zimg_filter_graph_free",
                                    "zimg_filter_graph_get_tmp_size",
                                    "zimg_filter_graph_get_input_buffering",
                                    "zimg_filter_graph_get_output_buffering",
                                    "zimg_select_buffer_mask",
                                    "zimg_filter_graph_process"};
static const char *failure;

static void open_library(void) {
  _Static_assert(sizeof zimg == sizeof names, "a name to each function");
  failure = linux_open_functions(
      "libzimg.so.2", names, (void **)&zimg, sizeof names / sizeof *names);
}

static int is_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return !failure;
}

/* The defaults are asked for before a graph is built.  Without the library they are zeros, and building fails. */
void zimg_image_format_default(zimg_image_format *format, unsigned version) {
  memset(format, 0, sizeof *format);
  if (is_open()) zimg.image_format_default(format, version);
}

void zimg_graph_builder_params_default(zimg_graph_builder_params *parameters, unsigned version) {
  memset(parameters, 0, sizeof *parameters);
  if (is_open()) zimg.graph_builder_params_default(parameters, version);
}

zimg_filter_graph *zimg_filter_graph_build(
    const zimg_image_format *source, const zimg_image_format *target,
    const zimg_graph_builder_params *parameters) {
  return is_open() ? zimg.build(source, target, parameters) : 0;
}

zimg_error_code_e zimg_get_last_error(char *message, size_t count) {
  if (is_open()) return zimg.get_last_error(message, count);
  if (message && count) snprintf(message, count, "%s", failure);
  return ZIMG_ERROR_UNKNOWN;
}

void zimg_clear_last_error(void) {
  if (is_open()) zimg.clear_last_error();
}

/* A graph exists only if the library is open. */
void zimg_filter_graph_free(zimg_filter_graph *graph) { zimg.free(graph); }

zimg_error_code_e zimg_filter_graph_get_tmp_size(const zimg_filter_graph *graph, size_t *size) {
  return zimg.get_tmp_size(graph, size);
}

zimg_error_code_e zimg_filter_graph_get_input_buffering(
    const zimg_filter_graph *graph, unsigned *rows) {
  return zimg.get_input_buffering(graph, rows);
}

zimg_error_code_e zimg_filter_graph_get_output_buffering(
    const zimg_filter_graph *graph, unsigned *rows) {
  return zimg.get_output_buffering(graph, rows);
}

unsigned zimg_select_buffer_mask(unsigned count) { return zimg.select_buffer_mask(count); }

zimg_error_code_e zimg_filter_graph_process(
    const zimg_filter_graph *graph, const zimg_image_buffer_const *source,
    const zimg_image_buffer *target, void *scratch, zimg_filter_graph_callback unpack,
    void *unpack_context, zimg_filter_graph_callback pack, void *pack_context) {
  return zimg.process(
      graph, source, target, scratch, unpack, unpack_context, pack, pack_context);
}
