// What bench-realtime does, by gRPC C++'s own API for raw bytes: the same arguments, the same line.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <grpcpp/generic/generic_stub.h>

#include "Common.h"

namespace {

int64_t ProcessorTime() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

long PeakKiB() {
  std::FILE *file = std::fopen("/proc/self/status", "r");
  char line[256];
  long peak = 0;
  while (file && std::fgets(line, sizeof line, file)) {
    if (std::strncmp(line, "VmHWM:", 6) == 0) peak = std::atol(line + 6);
  }
  if (file) std::fclose(file);
  return peak;
}

[[noreturn]] void Fail(const std::string &why) {
  std::fprintf(stderr, "bench-grpc-client: %s\n", why.c_str());
  std::exit(EXIT_FAILURE);
}

class Client {
 public:
  explicit Client(const std::string &port)
      : stub_(grpc::CreateChannel("127.0.0.1:" + port, grpc::InsecureChannelCredentials())) {}

  void Stream(uint64_t count, uint32_t size) {
    grpc::ClientContext context;
    auto call = stub_.PrepareCall(&context, "/bench.Bench/Stream", &queue_);
    call->StartCall(this);
    if (!Next()) Fail("no call");
    call->WriteLast(Bytes(StreamRequest(count, size)), grpc::WriteOptions(), this);
    if (!Next()) Fail("no request");
    uint64_t received = 0;
    grpc::ByteBuffer message;
    while (true) {
      call->Read(&message, this);
      if (!Next()) break;
      if (message.Length() != size) Fail("a message of another size");
      received += 1;
    }
    grpc::Status status;
    call->Finish(&status, this);
    Next();
    if (!status.ok() || received != count) Fail("the stream broke: " + status.error_message());
  }

  void Unary(const grpc::ByteBuffer &request) {
    grpc::ClientContext context;
    auto call = stub_.PrepareUnaryCall(&context, "/bench.Bench/Unary", request, &queue_);
    call->StartCall();
    grpc::ByteBuffer answer;
    grpc::Status status;
    call->Finish(&answer, &status, this);
    Next();
    if (!status.ok() || answer.Length() != request.Length()) Fail("no answer");
  }

 private:
  bool Next() {
    void *tag;
    bool ok = false;
    if (!queue_.Next(&tag, &ok)) Fail("the queue ended");
    return ok;
  }

  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
};

}  // namespace

int main(int count, char **arguments) {
  if (count != 5) Fail("usage: bench-grpc-client PORT stream|unary COUNT SIZE");
  Client client(arguments[1]);
  const bool streams = std::string(arguments[2]) == "stream";
  const uint64_t messages = std::strtoull(arguments[3], nullptr, 10);
  const uint32_t size = static_cast<uint32_t>(std::atol(arguments[4]));
  const grpc::ByteBuffer request = Bytes(std::string(size, 'x'));
  std::vector<int64_t> times;
  // The beginning opens the connection and loads code.
  if (streams) client.Stream(messages / 20 + 1, size);
  else for (uint64_t call = 0; call < messages / 20 + 1; call++) client.Unary(request);
  const int64_t processor = ProcessorTime();
  const int64_t begin = Now();
  if (streams) {
    client.Stream(messages, size);
  } else {
    times.reserve(messages);
    for (uint64_t call = 0; call < messages; call++) {
      const int64_t start = Now();
      client.Unary(request);
      times.push_back(Now() - start);
    }
  }
  const int64_t wall = Now() - begin;
  const int64_t used = ProcessorTime() - processor;
  std::sort(times.begin(), times.end());
  std::printf("%lld %lld %lld %ld\n", static_cast<long long>(used), static_cast<long long>(wall),
              static_cast<long long>(times.empty() ? 0 : times[times.size() / 2]), PeakKiB());
}
