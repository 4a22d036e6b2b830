#include "server/rpc/unary.h"

#include "absl/strings/str_cat.h"
#include "server/status.h"

namespace quantgate::server {

absl::Status Measure(const grpc::ByteBuffer& request, const SizeLimit& limit, ByteBudget::Share& share) {
  const int64_t bytes = static_cast<int64_t>(request.Length());
  if (bytes > limit.bytes) {
    return LimitExceeded(limit.name, limit.bytes, absl::StrCat("the request has ", bytes, " bytes", limit.otherwise));
  }
  return share.Grow(bytes) ? absl::OkStatus() : BudgetExhausted();
}

}  // namespace quantgate::server
