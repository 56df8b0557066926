"""The arrows between modules: what each target may import, and nothing else.

The table is the design, written out. A new arrow is a change of the design: it is argued for
first, then it is drawn here and in the manifests.
"""
from .fault import Fault
from .imports import imports

C_MODULES = {
    "CCurl", "CEventLoop", "CHiredis", "CKeyutils", "CMicrohttpd", "CNghttp2", "COpenSSL",
    "CPostgreSQL", "CSecret", "CSodium",
    "CSQLite", "CTSS2", "CZlib",
}

# Everything of the five client packages that an app may compose.
CLIENT = {
    "AuthNetworking", "GroupMessages", "SecureStorage", "SessionModels",
    "ByteStream", "GRPC", "HTTP2", "ProtobufWire", "Realtime",
}
TESTING = {
    "AuthNetworkingTesting", "RealtimeTesting", "SecureStorageTesting", "SessionModelsTesting",
}

ARROWS = {
    # Packages/SessionModels: values, no I/O. Secrets is for who holds a token and no session.
    "Secrets": set(),
    "SessionModels": {"Secrets"},
    "SessionModelsTesting": {"SessionModels"},
    # Packages/SecureStorage never imports auth.
    "SecureStorage": {
        "SessionModels", "CEventLoop", "CKeyutils", "CSecret", "CSodium", "CSQLite", "CTSS2",
    },
    "SecureStorageTesting": {"SecureStorage", "SessionModels", "SessionModelsTesting"},
    # Packages/AuthNetworking stands on the store. OpenSSL is under libcurl in any case: only there
    # can a server's key be seen that is not refused, and SSLKEYLOGFILE be undone.
    "AuthNetworking": {"SecureStorage", "SessionModels", "CCurl", "COpenSSL", "CZlib"},
    "AuthNetworkingTesting": {
        "AuthNetworking", "SecureStorage", "SecureStorageTesting", "SessionModels",
        "SessionModelsTesting",
    },
    # Packages/Realtime: one module a layer, upwards; it knows token providers, not sessions.
    "HTTP2": {"CNghttp2"},
    "ByteStream": {"CEventLoop", "COpenSSL"},
    "ProtobufWire": set(),
    "GRPC": {"ByteStream", "HTTP2", "Secrets", "CZlib"},
    "Realtime": {"ByteStream", "GRPC", "HTTP2", "ProtobufWire"},
    "RealtimeTesting": {"ByteStream", "GRPC", "HTTP2", "ProtobufWire", "Realtime", "Secrets"},
    # Packages/GroupMessages is handed its request and its event stream by the app.
    "GroupMessages": {"SessionModels"},
    # Apps/HeadlessClient composes; only the executable embeds a backend, for its demo.
    "HeadlessClient": CLIENT,
    "headless-client": CLIENT | {"HeadlessClient", "DevBackend"},
    # Tools/DevBackend shares the wire layers with the client, and nothing else of it.
    "DevBackend": {"ByteStream", "GRPC", "HTTP2", "ProtobufWire"} | C_MODULES,
    "DevBackendCluster": {"DevBackend"} | C_MODULES,
    "DevBackendLoad": set(),
    "dev-backend": {"DevBackend", "DevBackendCluster"},
    # Tools/Bench measures the store beside others, each of which is a program of its own, and
    # authenticated requests beside libcurl alone, and gRPC beside gRPC C++; and timelines.
    "BenchKit": set(),
    "bench": {
        "BenchKit", "CAllocations", "AuthNetworking", "GroupMessages", "SecureStorage",
        "SessionModels", "CCurl", "CEventLoop", "CSodium", "DevBackendLoad", "GRPC",
        "ProtobufWire",
    },
    "bench-start": {"AuthNetworking", "SecureStorage", "SessionModels"},
    "bench-realtime": {"GRPC"},
    "bench-packing-server": set(),
    "CAllocations": set(),
    "bench-sqlcipher": {"BenchKit", "CSQLCipher"},
    "bench-lmdb": {"BenchKit", "CLMDB"},
    "CSQLCipher": set(),
    "CLMDB": set(),
    # Tests see their own package, what it stands on, the doubles that those offer, and any C
    # module: they play the server, look into files and forge what no real peer sends.
    "SystemLibrariesTests": C_MODULES,
    "SessionModelsTests": {"SessionModels", "SessionModelsTesting"},
    "SecureStorageTests": C_MODULES | {
        "SecureStorage", "SecureStorageTesting", "SessionModels", "SessionModelsTesting",
    },
    "AuthNetworkingTests": C_MODULES | {
        "AuthNetworking", "AuthNetworkingTesting", "SecureStorage", "SecureStorageTesting",
        "SessionModels", "SessionModelsTesting",
    },
    "RealtimeTests": C_MODULES | {
        "ByteStream", "GRPC", "HTTP2", "ProtobufWire", "Realtime", "RealtimeTesting",
        "Secrets",
    },
    "GroupMessagesTests": {"GroupMessages", "SessionModels", "SessionModelsTesting"},
    "HeadlessClientTests": C_MODULES | CLIENT | TESTING | {"HeadlessClient"},
    "DevBackendTests": C_MODULES | {
        "ByteStream", "DevBackend", "DevBackendCluster", "DevBackendLoad", "GRPC", "HTTP2",
        "ProtobufWire",
    },
    "IntegrationTests": C_MODULES | CLIENT | TESTING | {"DevBackend", "HeadlessClient"},
}

# The one target of its own package that another one stands for, too.
RE_EXPORTS = {("SessionModels", "Secrets")}

SYSTEM = {
    "Android", "Bionic", "CommonCrypto", "Darwin", "Dispatch", "Foundation",
    "FoundationEssentials", "Glibc", "LocalAuthentication", "Musl", "Security", "Swift",
    "Synchronization", "os",
}


def check(tree):
    """Every import that goes against the arrows, and every dependency that would allow one."""
    faults = []
    for package in tree.packages + [tree.root_package]:
        for target in package.targets:
            mirrored = not package.folder and (target.get("path") or "").count("/") > 1
            if mirrored or target["name"] in C_MODULES:
                continue
            allowed = ARROWS.get(target["name"])
            if allowed is None:
                faults.append(Fault(
                    package.path("Package.swift"), f"no arrows are drawn for {target['name']}",
                    "add it to ARROWS in Tools/scripts/checks/arrows.py"))
                continue
            faults += _dependencies(package, target, allowed)
            for path in tree.swift_files(package.sources(target)):
                for item in imports(tree.read(path)):
                    faults += _import(path, item, package, target, allowed)
    return faults


def _dependencies(package, target, allowed):
    faults = []
    for dependency in target["dependencies"]:
        name = (dependency.get("product") or dependency.get("byName") or dependency["target"])[0]
        executable = name in ("headless-client", "dev-backend") and target["type"] == "test"
        if name not in allowed and not executable:
            faults.append(Fault(
                package.path("Package.swift"), f"{target['name']} may not depend on {name}",
                "remove the dependency, or change the design and its arrows first"))
    return faults


def _import(path, item, package, target, allowed):
    test = target["type"] == "test"
    known = allowed | SYSTEM | ({"Testing"} if test or target["name"] in TESTING else set())
    if item.module == "FoundationNetworking":
        yield Fault(path, "imports FoundationNetworking",
                    "use AuthNetworking's HTTPTransport", item.line)
    elif item.module not in known:
        yield Fault(path, f"{target['name']} may not import {item.module}",
                    f"allowed are {', '.join(sorted(allowed)) or 'system modules alone'}",
                    item.line)
    if item.module in C_MODULES and item.access in ("public", "package"):
        yield Fault(path, f"imports {item.module} as {item.access}",
                    "import C modules internal, so that no C type leaves the module", item.line)
    if item.exported and (target["name"], item.module) not in RE_EXPORTS:
        yield Fault(path, f"re-exports {item.module}",
                    "let each file import what it uses", item.line)
    if item.module == "Foundation" and package.area in ("Packages", "Apps") and not test:
        needed = ("not canImport(FoundationEssentials)", "canImport(Darwin)", "canImport(Security)")
        if not any(condition in needed for condition in item.conditions):
            yield Fault(path, "imports all of Foundation",
                        "import FoundationEssentials where it can be imported, else Foundation",
                        item.line)
