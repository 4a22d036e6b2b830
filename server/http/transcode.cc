#include "server/http/transcode.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "db/reports/labels.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/stubs/common.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver_util.h"
#include "rules/engine/field.h"
#include "server/http/query.h"
#include "server/http/status_json.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;

constexpr char kTypeUrl[] = "type.googleapis.com";
constexpr absl::Duration kTimeout = absl::Minutes(10);
// JSON takes several times as much memory; who needs more asks over gRPC.
constexpr int64_t kMaxAnswerBytes = 64 << 20;

// In the style of google.api.http: "{name=reports/*}" takes two segments of the path, as the field's value.
struct Route {
  const char* http_method;
  const char* path;
  const char* rpc;  // empty: the endpoint answers it itself
  bool body = false;
};
constexpr Route kRoutes[] = {
    {"GET", "reports", "ReportService/ListReports"},
    {"GET", "reports:diff", "ReportService/DiffReports"},
    {"POST", "reports:import", "ReportService/ImportReports", true},
    {"POST", "reports:prune", "ReportService/PruneReports", true},
    {"GET", "{name=reports/*}", "ReportService/GetReport"},
    {"DELETE", "{name=reports/*}", "ReportService/DeleteReport"},
    {"GET", "{name=reports/*}/graph", "ReportService/GetGraph"},
    {"GET", "fleet", "ReportService/GetFleet"},
    {"GET", "trends", "ReportService/GetTrends"},
    {"GET", "targets", "CatalogService/ListTargets"},
    {"GET", "rules", "CatalogService/ListRules"},
    {"GET", "{name=rules/*}", "CatalogService/GetRule"},
    {"GET", "constraintTables", "CatalogService/ListConstraintTables"},
    {"GET", "{parent=constraintTables/*}/constraints", "CatalogService/ListConstraints"},
    {"POST", "graphs:validate", "ValidationService/Validate", true},
    {"GET", "{name=reports/*}/groups", ""},
    {"POST", "models:check", "", true},
    {"POST", "logs:decode", "", true},
    {"GET", "events", ""},
    {"GET", "server", ""},
};

// Matches `path`, without "/v1/", and finds what the braces take.
bool Matches(const Route& route, absl::string_view path, ApiMethod& method) {
  absl::string_view pattern = route.path;
  if (!absl::ConsumePrefix(&pattern, "{")) return pattern == path;
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(pattern, absl::MaxSplits('}', 1));
  const std::pair<absl::string_view, absl::string_view> field = absl::StrSplit(parts.first, absl::MaxSplits('=', 1));
  const absl::string_view prefix = absl::StripSuffix(field.second, "*");
  if (!absl::StartsWith(path, prefix) || !absl::ConsumeSuffix(&path, parts.second)) return false;
  if (path.size() <= prefix.size() || absl::StrContains(path.substr(prefix.size()), '/')) return false;
  method.path_field = std::string(field.first);
  method.path_value = std::string(path);
  return true;
}

const MethodDescriptor* DescriptorOf(const std::string& full_name) {
  std::string name = full_name.substr(1);
  name[name.find('/')] = '.';
  return DescriptorPool::generated_pool()->FindMethodByName(name);
}

std::string UrlOf(const Descriptor& type) { return absl::StrCat(kTypeUrl, "/", type.full_name()); }

// About the parameter as the client wrote it: "pageSize: 'x' is no number of its range".
absl::Status WrongParameter(absl::string_view name, absl::string_view why) {
  return AtField(absl::InvalidArgumentError(absl::StrCat(name, ": ", why)), name);
}

absl::Status NoValue(absl::string_view name, absl::string_view text, absl::string_view expected) {
  return WrongParameter(name, absl::StrCat("'", text.substr(0, 64), "' is no ", expected));
}

// All but the one that stands for none.
std::string NamesOf(const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) names.push_back(type.value(i)->name());
  }
  return absl::StrJoin(names, ", ");
}

// One number parser for all widths.
template <typename Number, typename Set>
absl::Status SetNumber(absl::string_view name, absl::string_view text, Set set) {
  Number number;
  if (!absl::SimpleAtoi(text, &number)) return NoValue(name, text, "number of its range");
  set(number);
  return absl::OkStatus();
}

absl::Status SetLeaf(Message& message, const FieldDescriptor& field, absl::string_view name, absl::string_view text) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      if (!db::IsUtf8(text)) {
        return WrongParameter(name, "is not UTF-8");
      }
      if (repeated) {
        reflection.AddString(&message, &field, std::string(text));
      } else {
        reflection.SetString(&message, &field, std::string(text));
      }
      return absl::OkStatus();
    case FieldDescriptor::CPPTYPE_BOOL: {
      bool value;
      if (repeated || !absl::SimpleAtob(text, &value)) return NoValue(name, text, "true or false");
      reflection.SetBool(&message, &field, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* value = field.enum_type()->FindValueByName(std::string(text));
      if (repeated || value == nullptr) {
        const std::string names = NamesOf(*field.enum_type());
        return NoValue(name, text, absl::StrCat(field.enum_type()->name(), " (", names, ")"));
      }
      reflection.SetEnum(&message, &field, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_INT32:
      if (repeated) break;
      return SetNumber<int32_t>(name, text, [&](int32_t n) { reflection.SetInt32(&message, &field, n); });
    case FieldDescriptor::CPPTYPE_INT64:
      if (repeated) break;
      return SetNumber<int64_t>(name, text, [&](int64_t n) { reflection.SetInt64(&message, &field, n); });
    case FieldDescriptor::CPPTYPE_UINT64:
      if (repeated) break;
      return SetNumber<uint64_t>(name, text, [&](uint64_t n) { reflection.SetUInt64(&message, &field, n); });
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      absl::Time time;
      std::string error;
      if (repeated || field.message_type()->full_name() != "google.protobuf.Timestamp") break;
      if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error)) {
        return NoValue(name, text, "time such as 2026-01-31T00:00:00Z");
      }
      Message& stamp = *reflection.MutableMessage(&message, &field);
      const int64_t seconds = absl::ToUnixSeconds(time);
      const Descriptor& type = *stamp.GetDescriptor();
      stamp.GetReflection()->SetInt64(&stamp, type.FindFieldByNumber(1), seconds);
      stamp.GetReflection()->SetInt32(
          &stamp, type.FindFieldByNumber(2),
          static_cast<int32_t>((time - absl::FromUnixSeconds(seconds)) / absl::Nanoseconds(1)));
      return absl::OkStatus();
    }
    default:
      break;
  }
  return WrongParameter(name, "cannot be given in the query");
}

// The field that it was. `path` is what is left of `name`.
absl::StatusOr<const FieldDescriptor*> SetField(Message& message, absl::string_view name, absl::string_view path,
                                                absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(path, absl::MaxSplits('.', 1));
  const Descriptor& type = *message.GetDescriptor();
  const FieldDescriptor* field = type.FindFieldByCamelcaseName(std::string(parts.first));
  if (field == nullptr) field = type.FindFieldByName(std::string(parts.first));
  if (field == nullptr) {
    return AtField(absl::InvalidArgumentError(absl::StrCat("'", name, "' is no parameter of this method")), name);
  }
  if (parts.second.empty()) {
    if (absl::Status status = SetLeaf(message, *field, name, text); !status.ok()) return status;
    return field;
  }
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_repeated()) {
    return WrongParameter(name, "has no fields");
  }
  return SetField(*message.GetReflection()->MutableMessage(&message, field), name, parts.second, text);
}

std::string Flatten(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

}  // namespace

absl::Status SetFields(Message& message, absl::Span<const std::pair<std::string, std::string>> query) {
  std::set<const FieldDescriptor*> seen;
  for (const auto& [path, text] : query) {
    if (!db::IsUtf8(path)) return absl::InvalidArgumentError("the name of a parameter is not UTF-8");
    const absl::string_view name = path.size() <= 64 ? absl::string_view(path) : "a parameter of a long name";
    const absl::StatusOr<const FieldDescriptor*> field = SetField(message, name, path, text);
    if (!field.ok()) return field.status();
    if (!seen.insert(*field).second && !(*field)->is_repeated()) return WrongParameter(name, "is given twice");
  }
  return absl::OkStatus();
}

bool IsMetadata(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

absl::StatusOr<ApiMethod> FindApiMethod(absl::string_view http_method, absl::string_view path) {
  const std::string asked(path);
  if (!absl::ConsumePrefix(&path, "/v1/")) return absl::NotFoundError(absl::StrCat("no resource ", asked));
  std::vector<std::string> allowed;
  for (const Route& route : kRoutes) {
    ApiMethod method;
    if (!Matches(route, path, method)) continue;
    if (http_method == route.http_method || (http_method == "HEAD" && route.http_method == absl::string_view("GET"))) {
      method.full_name = absl::StrCat("/quantgate.v1.", route.rpc);
      method.has_body = route.body;
      return method;
    }
    allowed.push_back(route.http_method);
  }
  if (!allowed.empty()) return absl::UnimplementedError(absl::StrJoin(allowed, ", "));
  return absl::NotFoundError(absl::StrCat("no resource ", asked.substr(0, 256)));
}

Transcoder::Transcoder(std::shared_ptr<grpc::Channel> channel)
    : channel_(std::move(channel)),
      resolver_(google::protobuf::util::NewTypeResolverForDescriptorPool(kTypeUrl, DescriptorPool::generated_pool())) {}

grpc::Status Transcoder::Call(const std::string& full_name, const std::string& request, absl::Duration timeout,
                              const std::string& authorization, const std::function<bool()>& gone,
                              std::string& response) const {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  if (IsMetadata(authorization)) context.AddMetadata("authorization", authorization);
  const grpc::Slice slice(request);
  grpc::ByteBuffer in(&slice, 1), out;
  std::promise<grpc::Status> promise;
  std::future<grpc::Status> done = promise.get_future();
  grpc::GenericStub stub(channel_);
  stub.UnaryCall(&context, full_name, grpc::StubOptions(), &in, &out,
                 [&promise](grpc::Status status) { promise.set_value(std::move(status)); });
  while (done.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout) {
    if (gone()) context.TryCancel();
  }
  grpc::Status status = done.get();
  if (status.ok() && static_cast<int64_t>(out.Length()) > kMaxAnswerBytes) {
    return ToGrpcStatus(LimitExceeded("max_http_answer_bytes", kMaxAnswerBytes,
                                      absl::StrCat("the answer has ", out.Length(), " bytes; ask over gRPC")));
  }
  if (status.ok()) response = Flatten(out);
  return status;
}

absl::StatusOr<std::string> Transcoder::ToJson(const std::string& type, const std::string& bytes) const {
  google::protobuf::util::JsonPrintOptions options;
  // As reports are printed; a graph has too many fields that say nothing.
  options.always_print_primitive_fields = !absl::EndsWith(type, "GetGraphResponse");
  std::string json;
  const auto status = google::protobuf::util::BinaryToJsonString(resolver_.get(), absl::StrCat(kTypeUrl, "/", type),
                                                                 bytes, &json, options);
  if (!status.ok()) return absl::InternalError(absl::StrCat("cannot write JSON: ", status.ToString()));
  return json;
}

void Transcoder::Answer(const ApiMethod& method, const httplib::Request& request, const std::string& body,
                        const std::function<bool()>& gone, httplib::Response& response) const {
  const MethodDescriptor& rpc = *DescriptorOf(method.full_name);
  std::string bytes;
  if (method.has_body) {
    const auto status =
        google::protobuf::util::JsonToBinaryString(resolver_.get(), UrlOf(*rpc.input_type()), body, &bytes);
    if (!status.ok()) {
      // The library draws where in further lines.
      const absl::string_view why(status.message().data(), status.message().size());
      SetStatus(AtField(absl::InvalidArgumentError(absl::StrCat("the body is no ", rpc.input_type()->name(),
                                                                " in JSON: ", why.substr(0, why.find('\n')))),
                        "body"),
                response);
      return;
    }
  } else {
    const std::unique_ptr<Message> message(
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(rpc.input_type())->New());
    std::vector<std::pair<std::string, std::string>> query = QueryOf(request);
    if (!method.path_field.empty()) query.emplace_back(method.path_field, method.path_value);
    const absl::Status status = SetFields(*message, query);
    if (!status.ok()) {
      SetStatus(status, response);
      return;
    }
    bytes = message->SerializeAsString();
  }
  std::string answer;
  const grpc::Status status =
      Call(method.full_name, bytes, kTimeout, request.get_header_value("Authorization"), gone, answer);
  if (!status.ok()) {
    SetStatus(status, response);
    return;
  }
  SetJson(ToJson(rpc.output_type()->full_name(), answer), response);
}

}  // namespace quantgate::server
