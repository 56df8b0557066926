/// The Python of the interop tests: raw bytes through generic handlers, no protoc needed.
enum GRPCIOScripts {
  /// Serves all kinds of calls; prints its port, ends with its standard input.
  static let server = #"""
    import concurrent.futures
    import sys
    import threading
    import time

    import grpc


    def unary(request, context):
        context.send_initial_metadata(tuple(
            (key, value) for key, value in context.invocation_metadata() if key.startswith("x-")))
        context.set_trailing_metadata((("y-bin", b"\x00\xff"), ("y-text", "1")))
        return request


    def repeat(request, context):
        for number in range(1000):
            yield request + bytes([number % 256])


    def fail(request, context):
        context.abort(grpc.StatusCode(tuple(
            code.value for code in grpc.StatusCode)[request[0]]), "nö 100%")


    def hang(request, context):
        ended = threading.Event()
        context.add_callback(ended.set)
        ended.wait()
        return b""


    cancelled = threading.Semaphore(0)
    cancellations = 0


    def endless(request, context):
        context.add_callback(cancelled.release)
        while context.is_active():
            yield b"e"
            time.sleep(0.005)


    def await_cancelled(request, context):
        global cancellations
        assert cancelled.acquire(timeout=30)
        cancellations += 1
        return bytes([cancellations])


    def deadline(request, context):
        return str(context.time_remaining()).encode()


    def size(request, context):
        return b"x" * int(request)


    def total(requests, context):
        return str(sum(len(request) for request in requests)).encode()


    def relay(requests, context):
        yield from requests


    class Handler(grpc.GenericRpcHandler):
        def service(self, details):
            return {
                "/i/Unary": grpc.unary_unary_rpc_method_handler(unary),
                "/i/Repeat": grpc.unary_stream_rpc_method_handler(repeat),
                "/i/Fail": grpc.unary_unary_rpc_method_handler(fail),
                "/i/Hang": grpc.unary_unary_rpc_method_handler(hang),
                "/i/Endless": grpc.unary_stream_rpc_method_handler(endless),
                "/i/AwaitCancelled": grpc.unary_unary_rpc_method_handler(await_cancelled),
                "/i/Deadline": grpc.unary_unary_rpc_method_handler(deadline),
                "/i/Size": grpc.unary_unary_rpc_method_handler(size),
                "/i/Total": grpc.stream_unary_rpc_method_handler(total),
                "/i/Relay": grpc.stream_stream_rpc_method_handler(relay),
            }.get(details.method)


    server = grpc.server(
        concurrent.futures.ThreadPoolExecutor(16), handlers=(Handler(),),
        options=(("grpc.http2.min_ping_interval_without_data_ms", 60_000),
                 ("grpc.http2.min_recv_ping_interval_without_data_ms", 60_000),
                 ("grpc.http2.max_ping_strikes", 1)) if "strict" in sys.argv else (),
        compression=grpc.Compression.Gzip if "gzip" in sys.argv else None)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    sys.stdin.read()
    server.stop(0)
    """#

  /// Calls all methods of ``EchoServer``; exits with 0 when all is as it should be.
  static let client = #"""
    import sys

    import grpc

    channel = grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}")
    unary = channel.unary_unary("/t/Echo")
    assert unary(b"hi") == b"hi"
    assert unary(b"x" * 3_000_000) == b"x" * 3_000_000
    assert unary(b"", compression=grpc.Compression.Gzip) == b""
    packed = channel.unary_unary("/t/Gzip")(b"z" * 100_000, compression=grpc.Compression.Gzip)
    assert packed == b"z" * 100_000

    _, call = unary.with_call(b"", metadata=(("x-text", "1"), ("y-b-bin", b"\x00\xff")))
    assert ("x-text", "1") in call.initial_metadata(), call.initial_metadata()
    assert ("y-b-bin", b"\x00\xff") in call.trailing_metadata(), call.trailing_metadata()

    messages = list(channel.unary_stream("/t/Repeat")(b"m", metadata=(("count", "3000"),)))
    assert messages == [b"m"] * 3000
    sent = [bytes([i % 256]) * i * 100 for i in range(100)]
    assert list(channel.stream_stream("/t/Relay")(iter(sent))) == sent
    assert channel.stream_unary("/t/Sum")(iter([b"a" * 100_000] * 50)) == b"5000000"

    for code in grpc.StatusCode:
        if code is grpc.StatusCode.OK:
            continue
        try:
            fail = channel.unary_unary("/t/Fail")
            fail("nö 100%".encode(), metadata=(("code", str(code.value[0])),))
            assert False, code
        except grpc.RpcError as error:
            assert error.code() is code and error.details() == "nö 100%", error
    try:
        channel.unary_unary("/t/Hang")(b"", timeout=2)
        assert False
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED, error
    """#
}
