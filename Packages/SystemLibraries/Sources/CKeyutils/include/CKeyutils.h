#ifndef CKEYUTILS_H
#define CKEYUTILS_H

// libkeyutils is loaded when first used, not linked: see CKeyutils.c.
#if defined(__linux__)
#include <keyutils.h>

/// The functions that are called, of the types that the library's own header gives them: X(field,
/// function).
#define CKEYUTILS_FUNCTIONS(X)                                                                     \
  X(add_key, add_key)                                                                              \
  X(get_keyring_id, keyctl_get_keyring_ID)                                                         \
  X(search, keyctl_search)                                                                         \
  X(link, keyctl_link)                                                                             \
  X(unlink, keyctl_unlink)                                                                         \
  X(read, keyctl_read)                                                                             \
  X(read_alloc, keyctl_read_alloc)                                                                 \
  X(describe_alloc, keyctl_describe_alloc)                                                         \
  X(set_permissions, keyctl_setperm)                                                               \
  X(set_timeout, keyctl_set_timeout)                                                               \
  X(revoke, keyctl_revoke)                                                                         \
  X(invalidate, keyctl_invalidate)

#define CKEYUTILS_FIELD(field, function) __typeof__(&function) _Nonnull field;
typedef struct {
  CKEYUTILS_FUNCTIONS(CKEYUTILS_FIELD)
} CKeyutilsFunctions;
#undef CKEYUTILS_FIELD

/// Loads the library; returns its functions, or NULL where it is not installed. Safe on every
/// thread.
const CKeyutilsFunctions *_Nullable ckeyutils_functions(void);

// A macro that Swift does not import, because of its bits.
static const key_perm_t ckeyutils_possessor_and_user = KEY_POS_ALL | KEY_USR_ALL;

#endif
#endif
