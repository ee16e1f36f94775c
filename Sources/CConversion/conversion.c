#include "conversion.h" /* exists so that an edit of the header rebuilds its Swift importers */
