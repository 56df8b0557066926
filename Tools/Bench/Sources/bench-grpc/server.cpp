// A gRPC C++ server of raw bytes: /bench.Bench/Stream sends as many messages as it is asked for,
// every other method gives the message back. It prints its port, and ends with its input.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

#include <grpcpp/generic/async_generic_service.h>

#include "Common.h"

namespace {

// One call, driven by the events of the completion queue.
class Call {
 public:
  Call(grpc::AsyncGenericService *service, grpc::ServerCompletionQueue *queue)
      : service_(service), queue_(queue), stream_(&context_) {
    service_->RequestCall(&context_, &stream_, queue_, queue_, this);
  }

  void Proceed(bool ok) {
    switch (step_) {
      case Step::kWaiting:
        if (!ok) {
          delete this;
          return;
        }
        new Call(service_, queue_);
        step_ = Step::kReading;
        stream_.Read(&message_, this);
        break;
      case Step::kReading:
        if (!ok) {
          Finish();
        } else if (context_.method() == "/bench.Bench/Stream") {
          const std::string request = Text(message_);
          remaining_ = Number(request, 0, 8);
          message_ = Bytes(std::string(Number(request, 8, 4), 'x'));
          step_ = Step::kWriting;
          Write();
        } else {
          remaining_ = 1;
          step_ = Step::kWriting;
          Write();
        }
        break;
      case Step::kWriting:
        if (ok) Write();
        else Finish();
        break;
      case Step::kFinishing:
        delete this;
        break;
    }
  }

 private:
  enum class Step { kWaiting, kReading, kWriting, kFinishing };

  void Write() {
    if (remaining_ == 0) {
      Finish();
      return;
    }
    remaining_ -= 1;
    stream_.Write(message_, this);
  }

  void Finish() {
    step_ = Step::kFinishing;
    stream_.Finish(grpc::Status::OK, this);
  }

  grpc::AsyncGenericService *service_;
  grpc::ServerCompletionQueue *queue_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer message_;
  uint64_t remaining_ = 0;
  Step step_ = Step::kWaiting;
};

}  // namespace

int main() {
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterAsyncGenericService(&service);
  std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return EXIT_FAILURE;
  new Call(&service, queue.get());
  std::thread end([] {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    _exit(EXIT_SUCCESS);
  });
  std::printf("%d\n", port);
  std::fflush(stdout);
  void *tag;
  bool ok;
  while (queue->Next(&tag, &ok)) static_cast<Call *>(tag)->Proceed(ok);
  end.join();
}
