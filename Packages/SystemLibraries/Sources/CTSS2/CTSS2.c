#include "CTSS2.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CTSS2Functions functions;
static int loaded = 0;

static void load(void) {
  // In this order each finds the ones before it.
  const char *const names[] = {"libtss2-mu.so.0", "libtss2-esys.so.0", "libtss2-tctildr.so.0"};
  const int count = sizeof names / sizeof names[0];
  void *libraries[sizeof names / sizeof names[0]];
  for (int index = 0; index < count; index++) {
    libraries[index] = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (libraries[index] == NULL) {
      return;
    }
  }
#define CTSS2_FIND(field, function)                                                                \
  {                                                                                                \
    void *found = NULL;                                                                            \
    for (int index = 0; index < count && found == NULL; index++) {                                 \
      found = dlsym(libraries[index], #function);                                                  \
    }                                                                                              \
    if (found == NULL) {                                                                           \
      return;                                                                                      \
    }                                                                                              \
    functions.field = (__typeof__(&function))found;                                                \
  }
  CTSS2_FUNCTIONS(CTSS2_FIND)
#undef CTSS2_FIND
  loaded = 1;
}

const CTSS2Functions *ctss2_functions(void) {
  pthread_once(&once, load);
  return loaded ? &functions : NULL;
}
#endif
