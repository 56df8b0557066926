/// The Python of the interop tests: FORMAT.md written a second time, with Tink's AEADs.
enum TinkScripts {
  static let common = #"""
    import base64, hashlib, json, sqlite3, sys
    import tink
    from tink import aead, json_proto_keyset_format, secret_key_access

    aead.register()
    TYPES = {"xchacha20-poly1305": "XChaCha20Poly1305Key", "aes-256-gcm": "AesGcmKey"}


    def primitive(cipher, key_id, key):
        # Both keys are a message with nothing but the bytes in field 3.
        keyset = {"primaryKeyId": key_id, "key": [{
            "keyData": {
                "typeUrl": "type.googleapis.com/google.crypto.tink." + TYPES[cipher],
                "value": base64.b64encode(b"\x1a\x20" + key).decode(),
                "keyMaterialType": "SYMMETRIC",
            },
            "status": "ENABLED", "keyId": key_id, "outputPrefixType": "TINK",
        }]}
        handle = json_proto_keyset_format.parse(json.dumps(keyset), secret_key_access.TOKEN)
        return handle.primitive(aead.Aead)


    def long(value):
        return len(value).to_bytes(4, "big") + value


    def short(value):
        return len(value).to_bytes(2, "big") + value


    def associated_data(store_id, kind, namespace, name, key_id, generation):
        return (long(b"\x01") + long(store_id) + long(bytes([kind, namespace]) + name)
                + long(key_id.to_bytes(4, "big")) + long(generation.to_bytes(8, "big")))


    def unchecked(record):
        payload, digest = record[:-16], record[-16:]
        assert hashlib.blake2b(payload, digest_size=16).digest() == digest
        return payload


    class Store:
        def __init__(self, directory):
            root = unchecked(open(directory + "/store.key", "rb").read())
            assert root[:5] == b"SSFV\x01"
            root = root[5:]
            self.rows = {
                (space, bytes(name)): bytes(value) for space, name, value in
                sqlite3.connect(directory + "/store.db").execute("select * from rows")}
            self.id = unchecked(self.rows[0, b"store"])
            digest = hashlib.blake2b(b"root key id", key=root, digest_size=16).digest()
            root_id = int.from_bytes(digest[:4], "big")
            keyset = primitive("xchacha20-poly1305", root_id, root).decrypt(
                unchecked(self.rows[0, b"keyset"]),
                associated_data(self.id, 4, 0, b"", root_id, 0))
            assert keyset[0] == 1
            self.name_key = keyset[1:33]
            self.active = int.from_bytes(keyset[33:37], "big")
            self.keys, at = {}, 39
            for _ in range(int.from_bytes(keyset[37:39], "big")):
                key_id = int.from_bytes(keyset[at:at + 4], "big")
                end = at + 6 + int.from_bytes(keyset[at + 4:at + 6], "big")
                cipher = keyset[at + 6:end].decode()
                self.keys[key_id] = primitive(cipher, key_id, keyset[end:end + 32])
                at = end + 32
            assert at == len(keyset)

        def row_name(self, namespace, name):
            return hashlib.blake2b(
                bytes([namespace]) + name, key=self.name_key, digest_size=32).digest()

        def get(self, namespace, name):
            row = self.rows[namespace, self.row_name(namespace, name)]
            generation, key_id = (int.from_bytes(row[a:b], "big") for a, b in ((0, 8), (9, 13)))
            data = associated_data(self.id, 1, namespace, name, key_id, generation)
            content = self.keys[key_id].decrypt(row[8:], data)
            assert content.startswith(short(name))
            return content[2 + len(name):]

        def seal(self, namespace, name, value, generation):
            data = associated_data(self.id, 1, namespace, name, self.active, generation)
            sealed = self.keys[self.active].encrypt(short(name) + value, data)
            return generation.to_bytes(8, "big") + sealed


    request = json.load(open(sys.argv[1]))
    store = Store(request["directory"])

    """#

  /// The values of some keys, as a store on disk has them.
  static let read = #"""
    print(json.dumps({
        name: base64.b64encode(store.get(1, name.encode())).decode() for name in request["keys"]}))
    """#

  /// Rows with some values, sealed by the store's own key.
  static let seal = #"""
    print(json.dumps({
        name: base64.b64encode(
            store.seal(1, name.encode(), base64.b64decode(value), request["generation"])).decode()
        for name, value in request["values"].items()}))
    """#
}
