#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

// How often this process has asked for memory since it began, all threads together.
uint64_t callocations_count(void);

#endif
