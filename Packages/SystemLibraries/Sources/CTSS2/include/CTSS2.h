#ifndef CTSS2_H
#define CTSS2_H

// tss2-esys, tss2-tctildr and tss2-mu are loaded when first used, not linked: see CTSS2.c.
#if defined(__linux__)
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>

/// The functions that are called, of the types that the library's own headers give them: X(field,
/// function).
#define CTSS2_FUNCTIONS(X)                                                                         \
  X(tcti_initialize, Tss2_TctiLdr_Initialize)                                                      \
  X(tcti_finalize, Tss2_TctiLdr_Finalize)                                                          \
  X(marshal_public, Tss2_MU_TPM2B_PUBLIC_Marshal)                                                  \
  X(unmarshal_public, Tss2_MU_TPM2B_PUBLIC_Unmarshal)                                              \
  X(marshal_private, Tss2_MU_TPM2B_PRIVATE_Marshal)                                                \
  X(unmarshal_private, Tss2_MU_TPM2B_PRIVATE_Unmarshal)                                            \
  X(initialize, Esys_Initialize)                                                                   \
  X(finalize, Esys_Finalize)                                                                       \
  X(free, Esys_Free)                                                                               \
  X(startup, Esys_Startup)                                                                         \
  X(get_capability, Esys_GetCapability)                                                            \
  X(tr_from_tpm_public, Esys_TR_FromTPMPublic)                                                     \
  X(tr_get_tpm_handle, Esys_TR_GetTpmHandle)                                                       \
  X(tr_get_name, Esys_TR_GetName)                                                                  \
  X(tr_set_auth, Esys_TR_SetAuth)                                                                  \
  X(read_public, Esys_ReadPublic)                                                                  \
  X(create_primary, Esys_CreatePrimary)                                                            \
  X(create, Esys_Create)                                                                           \
  X(load, Esys_Load)                                                                               \
  X(unseal, Esys_Unseal)                                                                           \
  X(flush_context, Esys_FlushContext)                                                              \
  X(start_auth_session, Esys_StartAuthSession)                                                     \
  X(session_set_attributes, Esys_TRSess_SetAttributes)                                             \
  X(nv_define_space, Esys_NV_DefineSpace)                                                          \
  X(nv_undefine_space, Esys_NV_UndefineSpace)                                                      \
  X(nv_read_public, Esys_NV_ReadPublic)                                                            \
  X(nv_increment, Esys_NV_Increment)                                                               \
  X(nv_read, Esys_NV_Read)

#define CTSS2_FIELD(field, function) __typeof__(&function) _Nonnull field;
typedef struct {
  CTSS2_FUNCTIONS(CTSS2_FIELD)
} CTSS2Functions;
#undef CTSS2_FIELD

/// Loads the libraries; returns their functions, or NULL where one of them is not installed. Safe
/// on every thread.
const CTSS2Functions *_Nullable ctss2_functions(void);

// Macros that Swift does not import, because they cast.
static const TPM2_RC ctss2_rc_initialize = TPM2_RC_INITIALIZE;
static const TPM2_RC ctss2_rc_failure = TPM2_RC_FAILURE;
static const TPM2_RC ctss2_rc_disabled = TPM2_RC_DISABLED;
static const TPM2_RC ctss2_rc_nv_uninitialized = TPM2_RC_NV_UNINITIALIZED;
static const TPM2_RC ctss2_rc_nv_space = TPM2_RC_NV_SPACE;
static const TPM2_RC ctss2_rc_nv_defined = TPM2_RC_NV_DEFINED;
static const TPM2_RC ctss2_rc_nv_authorization = TPM2_RC_NV_AUTHORIZATION;
static const TPM2_RC ctss2_rc_hierarchy = TPM2_RC_HIERARCHY;
static const TPM2_RC ctss2_rc_handle = TPM2_RC_HANDLE;
static const TPM2_RC ctss2_rc_auth_fail = TPM2_RC_AUTH_FAIL;
static const TPM2_RC ctss2_rc_bad_auth = TPM2_RC_BAD_AUTH;
static const TPM2_RC ctss2_rc_integrity = TPM2_RC_INTEGRITY;
static const TPM2_RC ctss2_rc_object_memory = TPM2_RC_OBJECT_MEMORY;
static const TPM2_RC ctss2_rc_session_memory = TPM2_RC_SESSION_MEMORY;
static const TPM2_RC ctss2_rc_memory = TPM2_RC_MEMORY;
static const TPM2_RC ctss2_rc_session_handles = TPM2_RC_SESSION_HANDLES;
static const TPM2_RC ctss2_rc_yielded = TPM2_RC_YIELDED;
static const TPM2_RC ctss2_rc_testing = TPM2_RC_TESTING;
static const TPM2_RC ctss2_rc_reference_h0 = TPM2_RC_REFERENCE_H0;
static const TPM2_RC ctss2_rc_reference_s6 = TPM2_RC_REFERENCE_S6;
static const TPM2_RC ctss2_rc_retry = TPM2_RC_RETRY;
static const TPM2_RC ctss2_rc_lockout = TPM2_RC_LOCKOUT;
static const TPM2_RC ctss2_rc_nv_rate = TPM2_RC_NV_RATE;
static const TPM2_RC ctss2_rc_nv_unavailable = TPM2_RC_NV_UNAVAILABLE;
static const TPM2_ALG_ID ctss2_alg_aes = TPM2_ALG_AES;
static const TPM2_ALG_ID ctss2_alg_cfb = TPM2_ALG_CFB;
static const TPM2_ALG_ID ctss2_alg_ecc = TPM2_ALG_ECC;
static const TPM2_ALG_ID ctss2_alg_keyedhash = TPM2_ALG_KEYEDHASH;
static const TPM2_ALG_ID ctss2_alg_null = TPM2_ALG_NULL;
static const TPM2_ALG_ID ctss2_alg_sha256 = TPM2_ALG_SHA256;
static const TPM2_ECC_CURVE ctss2_ecc_p256 = TPM2_ECC_NIST_P256;
static const TPM2_SE ctss2_se_hmac = TPM2_SE_HMAC;
static const TPM2_SU ctss2_su_clear = TPM2_SU_CLEAR;
static const TPM2_CAP ctss2_cap_handles = TPM2_CAP_HANDLES;
static const TPM2_CAP ctss2_cap_properties = TPM2_CAP_TPM_PROPERTIES;
static const TPM2_PT ctss2_pt_permanent = TPM2_PT_PERMANENT;
static const TPMA_PERMANENT ctss2_permanent_owner_auth_set = TPMA_PERMANENT_OWNERAUTHSET;
static const UINT32 ctss2_max_handles = TPM2_MAX_CAP_HANDLES;
static const TPM2_HC ctss2_transient_first = TPM2_TRANSIENT_FIRST;
static const TPM2_HC ctss2_loaded_session_first = TPM2_LOADED_SESSION_FIRST;

/// The attributes of a storage key, as TCG's template for the storage root key has them.
static const TPMA_OBJECT ctss2_storage_key_attributes =
    TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN |
    TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT;

/// The attributes of sealed data: it never leaves its TPM, and no dictionary attack locks it.
static const TPMA_OBJECT ctss2_sealed_attributes = TPMA_OBJECT_FIXEDTPM |
                                                   TPMA_OBJECT_FIXEDPARENT |
                                                   TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA;

/// The attributes of a counter that is read and counted by who knows its authorization value.
static const TPMA_NV ctss2_counter_attributes =
    TPMA_NV_AUTHREAD | TPMA_NV_AUTHWRITE | TPMA_NV_NO_DA |
    ((TPMA_NV)TPM2_NT_COUNTER << TPMA_NV_TPM2_NT_SHIFT);

/// What the TPM adds to them once it has counted.
static const TPMA_NV ctss2_nv_written = TPMA_NV_WRITTEN;

static const TPMA_SESSION ctss2_session_decrypt = TPMA_SESSION_DECRYPT;
static const TPMA_SESSION ctss2_session_encrypt = TPMA_SESSION_ENCRYPT;
static const TPMA_SESSION ctss2_session_continue = TPMA_SESSION_CONTINUESESSION;

#endif
#endif
