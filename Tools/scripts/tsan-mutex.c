// Linked into the executables of `Tools/test --sanitize thread`, on Linux.
//
// A contended Synchronization.Mutex is locked and unlocked by the kernel, in a library that is not
// instrumented: the thread sanitizer sees neither, and reports a race at every contended lock. These
// functions stand before the library's of the same name, call them, and tell the sanitizer what
// happened. The uncontended path is inlined and instrumented, hence understood without help.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Swift's methods take `self` in a register of its own.
#define SELF __attribute__((swift_context)) void *self
#define SWIFT __attribute__((swiftcall))

// The sanitizer's own; absent from executables that are not instrumented.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void *next(const char *name) {
  // Looked up at each call: this is the slow path, and a cache would itself need a lock.
  return dlsym(RTLD_NEXT, name);
}

// Synchronization._MutexHandle._lockSlow(UInt32)
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
SWIFT void lockSlow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF) {
  SWIFT void (*library)(uint32_t, SELF) = next(LOCK);
  library(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

// Synchronization._MutexHandle._tryLockSlow() -> Bool
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
SWIFT bool tryLockSlow(SELF) __asm__(TRY);
SWIFT bool tryLockSlow(SELF) {
  SWIFT bool (*library)(SELF) = next(TRY);
  bool locked = library(self);
  if (locked && __tsan_acquire) __tsan_acquire(self);
  return locked;
}

// Synchronization._MutexHandle._unlockSlow()
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
SWIFT void unlockSlow(SELF) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF) {
  SWIFT void (*library)(SELF) = next(UNLOCK);
  if (__tsan_release) __tsan_release(self);
  library(self);
}
