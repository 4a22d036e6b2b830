#include "server/status.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/field.h"
#include "server/error_details.pb.h"

namespace quantgate::server {
namespace {

// Message and details share one header block of 8 KiB, in which a byte can take three.
constexpr size_t kMaxMessage = 1024;
constexpr int kRetrySeconds = 1;

void AddDetail(RpcStatus& status, absl::string_view type, const google::protobuf::Message& detail) {
  google::protobuf::Any& any = *status.add_details();
  any.set_type_url(absl::StrCat("type.googleapis.com/google.rpc.", type));
  any.set_value(detail.SerializeAsString());
}

// Cut at a limit, between two UTF-8 characters.
std::string Cut(absl::string_view text) {
  if (text.size() <= kMaxMessage) return std::string(text);
  size_t size = kMaxMessage;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return absl::StrCat(text.substr(0, size), "…");
}

// The field path that a message starts with, or nothing.
absl::string_view FieldPath(absl::string_view message) {
  const size_t colon = message.find(": ");
  if (colon == absl::string_view::npos) return {};
  const absl::string_view path = message.substr(0, colon);
  for (char c : path) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.' && c != '[' && c != ']') return {};
  }
  return path;
}

}  // namespace

absl::Status LimitExceeded(absl::string_view limit, int64_t value, absl::string_view message) {
  return absl::ResourceExhaustedError(absl::StrCat(limit, "=", value, ": ", message));
}

absl::Status Overloaded(absl::string_view message) {
  return absl::UnavailableError(absl::StrCat(message, "; retry after ", kRetrySeconds, " s"));
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  RpcStatus details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(Cut(status.message()));
  if (absl::IsInvalidArgument(status)) {
    const std::string named = FieldOf(status);
    const absl::string_view field = named.empty() ? FieldPath(details.message()) : absl::string_view(named);
    if (!field.empty()) {
      BadRequest bad;
      BadRequest::FieldViolation& violation = *bad.add_field_violations();
      violation.set_field(std::string(field));
      violation.set_description(named.empty() ? details.message().substr(field.size() + 2) : details.message());
      AddDetail(details, "BadRequest", bad);
    }
  } else if (absl::IsUnavailable(status)) {
    RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(kRetrySeconds);
    AddDetail(details, "RetryInfo", retry);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), details.message(),
                      details.details().empty() ? std::string() : details.SerializeAsString());
}

absl::Status WithoutDetails(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace quantgate::server
