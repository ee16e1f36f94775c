#include "include/copus.h"
