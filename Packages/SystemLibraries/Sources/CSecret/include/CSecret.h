#ifndef CSECRET_H
#define CSECRET_H

// libsecret and the GLib under it are loaded when first used, not linked: see CSecret.c.
#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct _GVariant GVariant;

/// GLib's error.
typedef struct {
  uint32_t domain;
  int code;
  char *message;
} CSecretError;

typedef CSecretError *_Nullable *_Nullable CSecretErrorPlace;

/// GLib's GDBusSignalCallback.
typedef void (*CSecretSignalHandler)(
    void *connection, const char *_Nullable sender, const char *path, const char *interface,
    const char *signal, GVariant *parameters, void *_Nullable data);

/// The functions of libsecret, GIO and GLib that are used, under their own names. An object is a
/// `void *`, a GVariantType the text of the type, an enumeration an int.
typedef struct {
  void (*_Nonnull g_free)(void *_Nullable memory);
  void (*_Nonnull g_error_free)(CSecretError *error);
  uint32_t (*_Nonnull g_io_error_quark)(void);
  void (*_Nonnull g_object_unref)(void *object);

  void *_Nonnull (*_Nonnull g_cancellable_new)(void);
  void (*_Nonnull g_cancellable_cancel)(void *cancellable);

  void *_Nonnull (*_Nonnull g_main_context_new)(void);
  void (*_Nonnull g_main_context_unref)(void *context);
  void (*_Nonnull g_main_context_push_thread_default)(void *context);
  void (*_Nonnull g_main_context_pop_thread_default)(void *context);
  int (*_Nonnull g_main_context_iteration)(void *context, int may_block);
  void (*_Nonnull g_main_context_wakeup)(void *context);

  char *_Nonnull (*_Nonnull g_dbus_address_escape_value)(const char *value);
  void *_Nullable (*_Nonnull g_dbus_connection_new_for_address_sync)(
      const char *address, int flags, void *_Nullable observer, void *_Nullable cancellable,
      CSecretErrorPlace error);
  int (*_Nonnull g_dbus_connection_is_closed)(void *connection);
  int (*_Nonnull g_dbus_connection_close_sync)(
      void *connection, void *_Nullable cancellable, CSecretErrorPlace error);
  GVariant *_Nullable (*_Nonnull g_dbus_connection_call_sync)(
      void *connection, const char *_Nullable name, const char *path, const char *interface,
      const char *method, GVariant *_Nullable parameters, const char *_Nullable reply, int flags,
      int timeout, void *_Nullable cancellable, CSecretErrorPlace error);
  unsigned (*_Nonnull g_dbus_connection_signal_subscribe)(
      void *connection, const char *_Nullable sender, const char *_Nullable interface,
      const char *_Nullable signal, const char *_Nullable path, const char *_Nullable argument,
      int flags, CSecretSignalHandler handler, void *_Nullable data,
      void (*_Nullable free_data)(void *_Nullable data));
  char *_Nullable (*_Nonnull g_dbus_error_get_remote_error)(const CSecretError *error);

  GVariant *_Nonnull (*_Nonnull g_variant_new_boolean)(int value);
  GVariant *_Nonnull (*_Nonnull g_variant_new_string)(const char *value);
  GVariant *_Nonnull (*_Nonnull g_variant_new_object_path)(const char *value);
  GVariant *_Nonnull (*_Nonnull g_variant_new_variant)(GVariant *value);
  GVariant *_Nonnull (*_Nonnull g_variant_new_dict_entry)(GVariant *key, GVariant *value);
  GVariant *_Nonnull (*_Nonnull g_variant_new_array)(
      const char *_Nullable type, GVariant *_Nonnull const *_Nullable children, size_t count);
  GVariant *_Nonnull (*_Nonnull g_variant_new_tuple)(GVariant *_Nonnull const *_Nullable children, size_t count);
  GVariant *_Nonnull (*_Nonnull g_variant_ref_sink)(GVariant *value);
  void (*_Nonnull g_variant_unref)(GVariant *value);
  int (*_Nonnull g_variant_is_of_type)(GVariant *value, const char *type);
  int (*_Nonnull g_variant_get_boolean)(GVariant *value);
  uint64_t (*_Nonnull g_variant_get_uint64)(GVariant *value);
  const char *_Nonnull (*_Nonnull g_variant_get_string)(GVariant *value, size_t *_Nullable length);
  GVariant *_Nonnull (*_Nonnull g_variant_get_variant)(GVariant *value);
  size_t (*_Nonnull g_variant_n_children)(GVariant *value);
  GVariant *_Nonnull (*_Nonnull g_variant_get_child_value)(GVariant *value, size_t index);

  int (*_Nonnull secret_service_ensure_session_sync)(
      void *service, void *_Nullable cancellable, CSecretErrorPlace error);
  const char *_Nullable (*_Nonnull secret_service_get_session_dbus_path)(void *service);
  GVariant *_Nonnull (*_Nonnull secret_service_encode_dbus_secret)(void *service, void *value);
  void *_Nullable (*_Nonnull secret_service_decode_dbus_secret)(void *service, GVariant *encoded);
  void *_Nonnull (*_Nonnull secret_value_new)(const char *secret, ptrdiff_t length, const char *content_type);
  const char *_Nonnull (*_Nonnull secret_value_get)(void *value, size_t *length);
  void (*_Nonnull secret_value_unref)(void *value);
} CSecretFunctions;

/// The functions, with the libraries loaded when first asked; NULL where they are not installed.
/// Safe on every thread.
const CSecretFunctions *_Nullable csecret_functions(void);

/// A SecretService on a connection of the caller's own. Wraps `g_initable_new`, which is variadic;
/// asks nothing of the bus yet. Only where `csecret_functions` gave functions.
void *_Nullable csecret_service_new(
    void *connection, void *_Nullable cancellable, CSecretErrorPlace error);

#pragma clang assume_nonnull end

#endif
#endif
