#include "CAVFilter.h"
