// A gRPC server over nghttp2 that packs as many messages into a write as fit: what a client's
// receiving costs where the server's sending costs next to nothing. It serves one method, which
// sends as many messages as it is asked for. It prints its port, and ends with its input.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nghttp2/nghttp2.h>

enum { kWrite = 256 << 10, kPrefix = 5, kRequest = kPrefix + 8 + 4 };

// One call; what it sends is a cycle of equal frames.
struct call {
  uint8_t request[kRequest];
  size_t received;
  uint8_t *frame;
  size_t frame_size;
  size_t position;
  uint64_t remaining;
};

static nghttp2_nv field(const char *name, const char *value) {
  return (nghttp2_nv){
      .name = (uint8_t *)name,
      .value = (uint8_t *)value,
      .namelen = strlen(name),
      .valuelen = strlen(value),
  };
}

static uint64_t number(const uint8_t *bytes, size_t count) {
  uint64_t result = 0;
  while (count-- > 0) result = result << 8 | *bytes++;
  return result;
}

static ssize_t read_body(
    nghttp2_session *session, int32_t stream, uint8_t *target, size_t size, uint32_t *flags,
    nghttp2_data_source *source, void *context
) {
  (void)context;
  struct call *call = source->ptr;
  size_t filled = 0;
  while (filled < size && call->remaining > 0) {
    size_t part = call->frame_size - call->position;
    if (part > size - filled) part = size - filled;
    memcpy(target + filled, call->frame + call->position, part);
    filled += part;
    call->position += part;
    if (call->position == call->frame_size) {
      call->position = 0;
      call->remaining -= 1;
    }
  }
  if (call->remaining == 0) {
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    nghttp2_nv trailers[] = {field("grpc-status", "0")};
    if (nghttp2_submit_trailer(session, stream, trailers, 1) != 0) {
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
  }
  return (ssize_t)filled;
}

static int began(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  (void)context;
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  struct call *call = calloc(1, sizeof *call);
  if (call == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
  return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, call);
}

static int received(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t size,
    void *context
) {
  (void)flags;
  (void)context;
  struct call *call = nghttp2_session_get_stream_user_data(session, stream);
  if (call == NULL || size > kRequest - call->received) {
    return nghttp2_submit_rst_stream(session, 0, stream, NGHTTP2_PROTOCOL_ERROR);
  }
  memcpy(call->request + call->received, data, size);
  call->received += size;
  return 0;
}

static int answer(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  (void)context;
  if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
  struct call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
  if (call == NULL || call->received != kRequest || call->frame != NULL) return 0;
  uint32_t size = (uint32_t)number(call->request + kPrefix + 8, 4);
  call->remaining = number(call->request + kPrefix, 8);
  call->frame_size = kPrefix + size;
  call->frame = malloc(call->frame_size);
  if (call->frame == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
  uint32_t prefix = htonl(size);
  call->frame[0] = 0;
  memcpy(call->frame + 1, &prefix, sizeof prefix);
  memset(call->frame + kPrefix, 'x', size);
  nghttp2_nv headers[] = {field(":status", "200"), field("content-type", "application/grpc")};
  nghttp2_data_provider body = {.source = {.ptr = call}, .read_callback = read_body};
  return nghttp2_submit_response(session, frame->hd.stream_id, headers, 2, &body);
}

static int closed(nghttp2_session *session, int32_t stream, uint32_t code, void *context) {
  (void)code;
  (void)context;
  struct call *call = nghttp2_session_get_stream_user_data(session, stream);
  if (call != NULL) free(call->frame);
  free(call);
  return 0;
}

// Sends one buffer full; false when the connection broke.
static bool send_some(
    nghttp2_session *session, int descriptor, uint8_t *buffer, size_t *filled, size_t *sent
) {
  if (*sent == *filled) {
    *sent = *filled = 0;
    // A frame is 16 KiB at most, with its head.
    while (*filled + (17 << 10) < kWrite) {
      const uint8_t *bytes;
      ssize_t size = nghttp2_session_mem_send(session, &bytes);
      if (size < 0 || (size_t)size > kWrite - *filled) return false;
      if (size == 0) break;
      memcpy(buffer + *filled, bytes, (size_t)size);
      *filled += (size_t)size;
    }
  }
  if (*sent == *filled) return true;
  ssize_t size = send(descriptor, buffer + *sent, *filled - *sent, MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  *sent += (size_t)size;
  return true;
}

static void serve(nghttp2_session *session, int descriptor) {
  static uint8_t buffer[kWrite];
  uint8_t input[16 << 10];
  size_t filled = 0, sent = 0;
  while (true) {
    bool writes = sent < filled || nghttp2_session_want_write(session);
    struct pollfd wait = {.fd = descriptor, .events = writes ? POLLIN | POLLOUT : POLLIN};
    if (poll(&wait, 1, -1) < 0) return;
    if (wait.revents & (POLLIN | POLLHUP | POLLERR)) {
      ssize_t size = recv(descriptor, input, sizeof input, 0);
      if (size == 0 || (size < 0 && errno != EAGAIN)) return;
      if (size > 0 && nghttp2_session_mem_recv(session, input, (size_t)size) < 0) return;
    }
    if ((wait.revents & POLLOUT) && !send_some(session, descriptor, buffer, &filled, &sent)) return;
  }
}

static void accept_one(int listener, nghttp2_session_callbacks *callbacks) {
  int descriptor = accept(listener, NULL, NULL);
  if (descriptor < 0) return;
  int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  nghttp2_session *session;
  if (nghttp2_session_server_new(&session, callbacks, NULL) == 0) {
    if (nghttp2_submit_settings(session, 0, NULL, 0) == 0) serve(session, descriptor);
    nghttp2_session_del(session);
  }
  close(descriptor);
}

static void *wait_for_end(void *context) {
  (void)context;
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  _exit(EXIT_SUCCESS);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 8) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
    perror("bench-packing-server");
    return EXIT_FAILURE;
  }
  nghttp2_session_callbacks *callbacks;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) return EXIT_FAILURE;
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, began);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, received);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, answer);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closed);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_end, NULL) != 0) return EXIT_FAILURE;
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  while (true) accept_one(listener, callbacks);
}
