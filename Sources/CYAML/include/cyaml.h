/* libyaml for Swift. It is opened when it is first needed. */
#ifndef RESPOOL_CYAML_H
#define RESPOOL_CYAML_H
#include <yaml.h>

/* Opens libyaml at the first call and returns the reason why it cannot be used; NULL if it can be used. Its functions
   may be called only after this has returned NULL. The text is valid until the process ends. Any thread. */
const char *respool_yaml_missing(void);

#endif
