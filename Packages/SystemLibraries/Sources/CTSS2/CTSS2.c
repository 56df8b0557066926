#include "CTSS2.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <pthread.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_tctildr.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int loaded = -1;

static void load(void) {
  void *esys = dlopen("libtss2-esys.so.0", RTLD_NOW | RTLD_LOCAL);
  void *tcti = dlopen("libtss2-tctildr.so.0", RTLD_NOW | RTLD_LOCAL);
  if (esys != NULL && tcti != NULL) {
    loaded = 0;
  }
}

int ctss2_load(void) {
  pthread_once(&once, load);
  return loaded;
}
#endif
