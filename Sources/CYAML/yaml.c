/* Definitions of the libyaml functions that Respool uses. Each calls the function of the same name in the library. */
#include <pthread.h>

#include "cyaml.h"
#include "linux_calls.h"

static struct {
  int (*initialize)(yaml_parser_t *);
  void (*delete)(yaml_parser_t *);
  void (*set_encoding)(yaml_parser_t *, yaml_encoding_t);
  void (*set_input_string)(yaml_parser_t *, const unsigned char *, size_t);
  int (*load)(yaml_parser_t *, yaml_document_t *);
  void (*document_delete)(yaml_document_t *);
  yaml_node_t *(*get_node)(yaml_document_t *, int);
  yaml_node_t *(*get_root_node)(yaml_document_t *);
  int (*parse)(yaml_parser_t *, yaml_event_t *);
  void (*event_delete)(yaml_event_t *);
} yaml;

static const char *const names[] = {"yaml_parser_initialize",   "yaml_parser_delete",
                                    "yaml_parser_set_encoding", "yaml_parser_set_input_string",
                                    "yaml_parser_load",         "yaml_document_delete",
                                    "yaml_document_get_node",   "yaml_document_get_root_node",
                                    "yaml_parser_parse",        "yaml_event_delete"};
static const char *failure;

static void open_library(void) {
  _Static_assert(sizeof yaml == sizeof names, "a name to each function");
  failure = linux_open_functions( "libyaml-0.so.2", names, (void **)&yaml, sizeof names / sizeof *names);
}

const char *respool_yaml_missing(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return failure;
}

int yaml_parser_initialize(yaml_parser_t *parser) { return yaml.initialize(parser); }

void yaml_parser_delete(yaml_parser_t *parser) { yaml.delete(parser); }

void yaml_parser_set_encoding(yaml_parser_t *parser, yaml_encoding_t encoding) {
  yaml.set_encoding(parser, encoding);
}

void yaml_parser_set_input_string(
    yaml_parser_t *parser, const unsigned char *input, size_t size) {
  yaml.set_input_string(parser, input, size);
}

int yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document) {
  return yaml.load(parser, document);
}

void yaml_document_delete(yaml_document_t *document) { yaml.document_delete(document); }

yaml_node_t *yaml_document_get_node(yaml_document_t *document, int index) {
  return yaml.get_node(document, index);
}

yaml_node_t *yaml_document_get_root_node(yaml_document_t *document) {
  return yaml.get_root_node(document);
}

int yaml_parser_parse(yaml_parser_t *parser, yaml_event_t *event) {
  return yaml.parse(parser, event);
}

void yaml_event_delete(yaml_event_t *event) { yaml.event_delete(event); }
