#include "CSecret.h"

// The few functions that are called are declared here, not included: their headers are only found
// with the flags of pkg-config, and those would link the libraries into every program.
#if defined(__linux__)
#include <dlfcn.h>
#include <pthread.h>

typedef size_t GType;

// The beginnings of GObjectClass and GTypeQuery, which GLib's ABI fixes.
typedef struct {
  GType type;
  void *construct_properties;
  void *(*constructor)(GType, unsigned, void *);
} ObjectClass;

typedef struct {
  GType type;
  const char *name;
  unsigned class_size;
  unsigned instance_size;
} TypeQuery;

static CSecretFunctions functions;
static GType service_type;

static GType (*g_dbus_proxy_get_type)(void);
static void *(*g_type_class_ref)(GType);
static void *(*g_initable_new)(GType, void *, CSecretErrorPlace, const char *, ...);

// libsecret's constructor binds a SecretService to GLib's one connection to the session bus, which
// ends the process when the bus goes. The constructor below it takes the connection it is given.
static void initialise_class(void *class, void *data) {
  (void)data;
  const ObjectClass *proxy = g_type_class_ref(g_dbus_proxy_get_type());
  ((ObjectClass *)class)->constructor = proxy->constructor;
}

static bool make_service_type(void *library) {
  GType (*secret_service_get_type)(void) = dlsym(library, "secret_service_get_type");
  void (*g_type_query)(GType, TypeQuery *) = dlsym(library, "g_type_query");
  GType (*g_type_register_static_simple)(
      GType, const char *, unsigned, void (*)(void *, void *), unsigned, void *, int) =
      dlsym(library, "g_type_register_static_simple");
  g_dbus_proxy_get_type = dlsym(library, "g_dbus_proxy_get_type");
  g_type_class_ref = dlsym(library, "g_type_class_ref");
  g_initable_new = dlsym(library, "g_initable_new");
  if (secret_service_get_type == NULL || g_type_query == NULL ||
      g_type_register_static_simple == NULL || g_dbus_proxy_get_type == NULL ||
      g_type_class_ref == NULL || g_initable_new == NULL) {
    return false;
  }
  TypeQuery query = {0};
  GType parent = secret_service_get_type();
  g_type_query(parent, &query);
  service_type = g_type_register_static_simple(
      parent, "CSecretService", query.class_size, initialise_class, query.instance_size, NULL, 0);
  return service_type != 0;
}

#define EACH_FUNCTION(F)                     \
  F(g_free)                                  \
  F(g_error_free)                            \
  F(g_io_error_quark)                        \
  F(g_object_unref)                          \
  F(g_cancellable_new)                       \
  F(g_cancellable_cancel)                    \
  F(g_main_context_new)                      \
  F(g_main_context_unref)                    \
  F(g_main_context_push_thread_default)      \
  F(g_main_context_pop_thread_default)       \
  F(g_main_context_iteration)                \
  F(g_main_context_wakeup)                   \
  F(g_dbus_address_escape_value)             \
  F(g_dbus_connection_new_for_address_sync)  \
  F(g_dbus_connection_is_closed)             \
  F(g_dbus_connection_close_sync)            \
  F(g_dbus_connection_call_sync)             \
  F(g_dbus_connection_signal_subscribe)      \
  F(g_dbus_error_get_remote_error)           \
  F(g_variant_new_boolean)                   \
  F(g_variant_new_string)                    \
  F(g_variant_new_object_path)               \
  F(g_variant_new_variant)                   \
  F(g_variant_new_dict_entry)                \
  F(g_variant_new_array)                     \
  F(g_variant_new_tuple)                     \
  F(g_variant_ref_sink)                      \
  F(g_variant_unref)                         \
  F(g_variant_is_of_type)                    \
  F(g_variant_get_boolean)                   \
  F(g_variant_get_uint64)                    \
  F(g_variant_get_string)                    \
  F(g_variant_get_variant)                   \
  F(g_variant_n_children)                    \
  F(g_variant_get_child_value)               \
  F(secret_service_ensure_session_sync)      \
  F(secret_service_get_session_dbus_path)    \
  F(secret_service_encode_dbus_secret)       \
  F(secret_service_decode_dbus_secret)       \
  F(secret_value_new)                        \
  F(secret_value_get)                        \
  F(secret_value_unref)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded = false;

static void load(void) {
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    return;
  }
  // A handle finds the functions of what its library is linked to as well: GIO's and GLib's.
  bool is_complete = true;
#define LOAD(name)                              \
  functions.name = dlsym(library, #name);       \
  is_complete = is_complete && functions.name != NULL;
  EACH_FUNCTION(LOAD)
#undef LOAD
  is_loaded = is_complete && make_service_type(library);
}

const CSecretFunctions *csecret_functions(void) {
  pthread_once(&once, load);
  return is_loaded ? &functions : NULL;
}

void *csecret_service_new(void *connection, void *cancellable, CSecretErrorPlace error) {
  // G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES and …_DO_NOT_CONNECT_SIGNALS.
  int flags = 1 | 2;
  return g_initable_new(
      service_type, cancellable, error, "g-connection", connection, "g-flags", flags, "g-name",
      "org.freedesktop.secrets", "g-object-path", "/org/freedesktop/secrets", "g-interface-name",
      "org.freedesktop.Secret.Service", (char *)NULL);
}
#endif
