#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <microhttpd.h>
#include <string.h>

/// What `cmicrohttpd_start` needs; `MHD_start_daemon` itself is variadic.
struct cmicrohttpd_configuration {
  /// A bound and listening socket; the daemon closes it when it stops.
  MHD_socket listener;
  unsigned int connection_limit;
  unsigned int timeout_seconds;
  /// PEM texts, or NULL without TLS.
  const char *key;
  const char *certificate;
  /// The first argument of each callback.
  void *context;
  /// Called with the raw request target; what it returns is the request's own pointer.
  void *(*began)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback handler;
  MHD_RequestCompletedCallback completed;
  /// Whether a connection from an address is let in.
  MHD_AcceptPolicyCallback admit;
  /// Called when a connection begins, and before its socket is closed.
  MHD_NotifyConnectionCallback connection;
};

/// Whether the peer is this machine; `MHD_get_connection_info` is variadic.
///
/// The address is read as bytes, at places that are the same everywhere: with <netinet/in.h> this
/// module would own types that belong to the C library's.
static inline int cmicrohttpd_is_local(struct MHD_Connection *connection) {
  static const unsigned char loopback[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  static const unsigned char mapped[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127};
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (info == NULL || info->client_addr == NULL) return 0;
  const unsigned char *bytes = (const unsigned char *)info->client_addr;
  if (info->client_addr->sa_family == AF_INET) return bytes[4] == 127;
  if (info->client_addr->sa_family != AF_INET6) return 0;
  return memcmp(bytes + 8, loopback, 16) == 0 || memcmp(bytes + 8, mapped, 13) == 0;
}

/// Writes an address into `bytes`, which has room for 16, as the network has it.
///
/// Returns 4 for IPv4, 16 for IPv6, 0 for anything else; the places are those of
/// `cmicrohttpd_is_local`.
static inline int cmicrohttpd_address(const struct sockaddr *address, unsigned char *bytes) {
  if (address == NULL) return 0;
  const int family = address->sa_family;
  const int size = family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
  memcpy(bytes, (const unsigned char *)address + (size == 4 ? 4 : 8), (size_t)size);
  return size;
}

/// Writes the peer's address, as `cmicrohttpd_address`.
static inline int cmicrohttpd_peer(struct MHD_Connection *connection, unsigned char *bytes) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? 0 : cmicrohttpd_address(info->client_addr, bytes);
}

/// The connection's socket; -1 where it has none.
static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

/// After so many seconds without a byte the connection is closed; `MHD_set_connection_option` is
/// variadic.
static inline void cmicrohttpd_set_timeout(struct MHD_Connection *connection,
                                           unsigned int seconds) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// Leaves escapes as they are: the program decodes each path segment itself, after splitting.
static inline size_t cmicrohttpd_keep_escapes(void *context, struct MHD_Connection *connection,
                                              char *text) {
  (void)context;
  (void)connection;
  size_t length = 0;
  while (text[length] != 0) length += 1;
  return length;
}

static inline struct MHD_Daemon *cmicrohttpd_start(
    unsigned int flags, const struct cmicrohttpd_configuration *configuration) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)configuration->key},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)configuration->certificate},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  return MHD_start_daemon(
      flags, 0, configuration->admit, configuration->context, configuration->handler,
      configuration->context,
      MHD_OPTION_ARRAY, configuration->key != NULL ? tls : none,
      MHD_OPTION_LISTEN_SOCKET, configuration->listener,
      MHD_OPTION_CONNECTION_LIMIT, configuration->connection_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, configuration->timeout_seconds,
      MHD_OPTION_URI_LOG_CALLBACK, configuration->began, configuration->context,
      MHD_OPTION_NOTIFY_COMPLETED, configuration->completed, configuration->context,
      MHD_OPTION_NOTIFY_CONNECTION, configuration->connection, configuration->context,
      MHD_OPTION_UNESCAPE_CALLBACK, cmicrohttpd_keep_escapes, NULL,
      MHD_OPTION_END);
}

#endif
