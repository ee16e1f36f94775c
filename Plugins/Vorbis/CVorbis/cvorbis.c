#include "include/cvorbis.h"
