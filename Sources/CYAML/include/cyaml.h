/* libyaml for Swift, opened when a preset is read. */
#ifndef RESPOOL_CYAML_H
#define RESPOOL_CYAML_H
#include <yaml.h>

/* Why libyaml cannot be used; null where it can, and only then may its functions be called. */
const char *respool_yaml_missing(void);

#endif
