#ifndef CHIREDIS_H
#define CHIREDIS_H

#include <hiredis/hiredis.h>

/// `redisGetReplyFromReader` for a typed pointer; NULL where no whole reply was read yet.
static inline int chiredis_next_reply(redisContext *context, redisReply **reply) {
  void *found = NULL;
  int status = redisGetReplyFromReader(context, &found);
  *reply = (redisReply *)found;
  return status;
}

/// `redisGetReply` for a typed pointer; blocks.
static inline int chiredis_get_reply(redisContext *context, redisReply **reply) {
  void *found = NULL;
  int status = redisGetReply(context, &found);
  *reply = (redisReply *)found;
  return status;
}

#endif
