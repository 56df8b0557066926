#include "CLMDB.h"
