#ifndef CEVENTLOOP_H
#define CEVENTLOOP_H

// The Glibc module leaves out epoll, eventfd and inotify.
#if defined(__linux__)
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

// `epoll_event` is packed and holds a union, neither of which reads well in Swift.
static inline int ceventloop_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int ceventloop_create_wake(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline int ceventloop_control(
    int epoll, int operation, int descriptor, int readable, int writable, uint64_t token) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = (readable ? EPOLLIN | EPOLLRDHUP : 0) | (writable ? EPOLLOUT : 0);
  event.data.u64 = token;
  return epoll_ctl(epoll, operation, descriptor, &event);
}
static inline int ceventloop_is_readable(const struct epoll_event *event) {
  return (event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}
static inline int ceventloop_is_writable(const struct epoll_event *event) {
  return (event->events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
}
static inline uint64_t ceventloop_token(const struct epoll_event *event) {
  return event->data.u64;
}
#else
#include <poll.h>
#endif

#endif
