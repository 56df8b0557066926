/// What is said about addresses of Redis that cannot be used.
package enum RedisScheme {
  /// `rediss://` asks for TLS, and a plain connection instead would send the password and the ends
  /// of sessions in the clear.
  package static let noTLS = """
    cannot take rediss://: there is no TLS to Redis, since hiredis 0.14 has none; \
    run stunnel, or a private network, and give redis:// to that
    """
}
