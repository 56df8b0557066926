#include "CKeyutils.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CKeyutilsFunctions functions;
static int loaded = 0;

static void load(void) {
  void *library = dlopen("libkeyutils.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    return;
  }
#define CKEYUTILS_FIND(field, function)                                                            \
  {                                                                                                \
    void *found = dlsym(library, #function);                                                       \
    if (found == NULL) {                                                                           \
      return;                                                                                      \
    }                                                                                              \
    functions.field = (__typeof__(&function))found;                                                \
  }
  CKEYUTILS_FUNCTIONS(CKEYUTILS_FIND)
#undef CKEYUTILS_FIND
  loaded = 1;
}

const CKeyutilsFunctions *ckeyutils_functions(void) {
  pthread_once(&once, load);
  return loaded ? &functions : NULL;
}
#endif
