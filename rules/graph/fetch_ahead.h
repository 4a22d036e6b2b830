#ifndef QUANTGATE_RULES_GRAPH_FETCH_AHEAD_H_
#define QUANTGATE_RULES_GRAPH_FETCH_AHEAD_H_

#include "google/protobuf/repeated_ptr_field.h"

namespace quantgate {

// Asks memory for a message that the walk of its pool comes to soon. Messages of a large graph lie far apart, and to
// wait for each of them takes longer than to read it. A parser puts a message and what belongs to it (name, sizes,
// attributes) one behind the other, so the lines that follow are asked for as well.
template <int kLines, typename Message>
void FetchAhead(const google::protobuf::RepeatedPtrField<Message>& pool, int i) {
  constexpr int kAhead = 8;
  constexpr int kLine = 64;
  if (i + kAhead >= pool.size()) return;
  const char* message = reinterpret_cast<const char*>(&pool.Get(i + kAhead));
  for (int line = 0; line < kLines; ++line) __builtin_prefetch(message + line * kLine);
}

// The same of its name: a long one lies elsewhere. Behind FetchAhead, which brings the place that says where.
template <typename Message>
void FetchNameAhead(const google::protobuf::RepeatedPtrField<Message>& pool, int i) {
  constexpr int kAhead = 4;
  if (i + kAhead < pool.size()) __builtin_prefetch(pool.Get(i + kAhead).name().data());
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_FETCH_AHEAD_H_
