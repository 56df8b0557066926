#ifndef CEVENTLOOP_H
#define CEVENTLOOP_H

// The Glibc module leaves out epoll and eventfd.
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#else
#include <sys/event.h>
#endif

#endif
