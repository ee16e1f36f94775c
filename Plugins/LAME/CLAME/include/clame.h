/* LAME's API, and its error messages, which it formats with va_list and reports without a context. */
#ifndef CLAME_H
#define CLAME_H

#include <lame/lame.h>

/* Keeps the encoder's errors for `clame_take_message`, and drops its other messages, which LAME prints by default. */
void clame_set_reports(lame_global_flags *encoder);

/* Returns the last error that LAME reported on this thread since the last call; "" if there is none. The text is valid
 * until the next call of LAME on this thread. */
const char *clame_take_message(void);

#endif
