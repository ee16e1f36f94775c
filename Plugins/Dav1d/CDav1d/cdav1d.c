#include "include/cdav1d.h"
