#include "CKeyutils.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <keyutils.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int loaded = -1;

static void load(void) {
  void *library = dlopen("libkeyutils.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) {
    loaded = 0;
  }
}

int ckeyutils_load(void) {
  pthread_once(&once, load);
  return loaded;
}
#endif
