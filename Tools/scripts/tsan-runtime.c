// Linked into the executables of `Tools/test --sanitize thread`, on Linux: tells the sanitizer what
// Swift's runtime, which is not instrumented, synchronises unseen. Without it correct code is
// reported. These functions stand before the runtime's of the same name, and call them.
//
// - A contended Synchronization.Mutex is locked and unlocked by the kernel. The uncontended path is
//   inlined and instrumented, hence understood without help.
// - A continuation that was resumed before it is awaited goes on at once, and the runtime forgets to
//   say that the resuming thread was first.

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

// The task that runs, on whose address the runtime announces a resumption.
extern void *swift_task_getCurrent(void) __attribute__((weak));

static void *next(const char *name) {
  // For what is rare at each call: a cache would itself need a lock.
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

// swift_task_dealloc(memory): what a function calls first when it goes on after an await.
#define DEALLOC "swift_task_dealloc"
static SWIFT void (*libraryDealloc)(void *);
__attribute__((constructor)) static void findDealloc(void) { libraryDealloc = next(DEALLOC); }
SWIFT void dealloc(void *memory) __asm__(DEALLOC);
SWIFT void dealloc(void *memory) {
  if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
  libraryDealloc(memory);
}
