#include "CSecret.h"

// The few functions that are called are declared here, not included: their headers are only found
// with the flags of pkg-config, and those would link the libraries into every program.
#if defined(__linux__)
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int loaded = -1;

static void load(void) {
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) {
    loaded = 0;
  }
}

int csecret_load(void) {
  pthread_once(&once, load);
  return loaded;
}
#endif
