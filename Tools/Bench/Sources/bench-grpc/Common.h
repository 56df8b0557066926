#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

// The request of a stream: how many messages of how many bytes, both big-endian.
inline grpc::ByteBuffer Bytes(const std::string &text) {
  grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

inline std::string Text(const grpc::ByteBuffer &buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const auto &slice : slices) {
    text.append(reinterpret_cast<const char *>(slice.begin()), slice.size());
  }
  return text;
}

inline std::string StreamRequest(uint64_t count, uint32_t size) {
  std::string text;
  for (int shift = 56; shift >= 0; shift -= 8) text.push_back(static_cast<char>(count >> shift));
  for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(size >> shift));
  return text;
}

inline uint64_t Number(const std::string &text, size_t start, size_t length) {
  uint64_t number = 0;
  for (size_t index = start; index < start + length && index < text.size(); index++) {
    number = number << 8 | static_cast<uint8_t>(text[index]);
  }
  return number;
}
