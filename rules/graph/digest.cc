#include "rules/graph/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "absl/strings/escaping.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/unknown_field_set.h"
#include "rules/graph/elements.h"
#include "rules/graph/fetch_ahead.h"

namespace quantgate {
namespace {

using google::protobuf::io::CodedOutputStream;

// Hashes what is written to it, block by block, so that the encoding of a large graph is nowhere as a whole.
class HashingStream : public google::protobuf::io::ZeroCopyOutputStream {
 public:
  HashingStream() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }

  std::string HexDigest() {
    Hash();
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &length);
    return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), length));
  }

  bool Next(void** data, int* size) override {
    Hash();
    *data = block_;
    *size = kBlock;
    used_ = kBlock;
    return true;
  }
  void BackUp(int count) override { used_ -= count; }
  int64_t ByteCount() const override { return hashed_ + used_; }

 private:
  static constexpr int kBlock = 16 << 10;

  void Hash() {
    EVP_DigestUpdate(context_.get(), block_, used_);
    hashed_ += used_;
    used_ = 0;
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  char block_[kBlock];
  int used_ = 0;
  int64_t hashed_ = 0;
};

void WriteHeader(int field, size_t size, CodedOutputStream& out) {
  constexpr int kTagTypeBits = 3;
  constexpr int kLengthDelimited = 2;
  out.WriteTag(static_cast<uint32_t>(field) << kTagTypeBits | kLengthDelimited);
  out.WriteVarint32(static_cast<uint32_t>(size));
}

template <typename Message>
void WriteOne(int field, const Message& message, CodedOutputStream& out) {
  WriteHeader(field, message.ByteSizeLong(), out);
  message.SerializeWithCachedSizes(&out);
}

// A constant is the same one in whichever form the message has its elements.
void WriteOne(int field, const v1::Value& value, CodedOutputStream& out) {
  if (!IsPacked(value)) return WriteOne<v1::Value>(field, value, out);
  v1::Value listed = value;
  ListElements(listed);
  WriteOne<v1::Value>(field, listed, out);
}

bool HasPacked(const v1::Graph& graph) {
  return std::any_of(graph.values().begin(), graph.values().end(), IsPacked) ||
         std::any_of(graph.subgraphs().begin(), graph.subgraphs().end(), HasPacked);
}

void ListAll(v1::Graph& graph) {
  for (v1::Value& value : *graph.mutable_values()) ListElements(value);
  for (v1::Graph& body : *graph.mutable_subgraphs()) ListAll(body);
}

void WriteOne(int field, const v1::Graph& body, CodedOutputStream& out) {
  if (!HasPacked(body)) return WriteOne<v1::Graph>(field, body, out);
  v1::Graph listed = body;
  ListAll(listed);
  WriteOne<v1::Graph>(field, listed, out);
}

// Message by message: each is measured and written while it is near, where protobuf would go through all of a large
// graph to measure it and then through all of it once more.
template <typename Message>
void Write(int field, const google::protobuf::RepeatedPtrField<Message>& pool, CodedOutputStream& out) {
  constexpr int kLines = 8;
  for (int i = 0; i < pool.size(); ++i) {
    FetchAhead<kLines>(pool, i);
    WriteOne(field, pool.Get(i), out);
  }
}

}  // namespace

std::string GraphDigest(const v1::Graph& graph) {
  HashingStream sink;
  {
    CodedOutputStream out(&sink);
    out.SetSerializationDeterministic(true);
    // In the order of field numbers.
    v1::Graph head;
    head.set_name(graph.name());
    head.set_origin(graph.origin());
    head.set_stage(graph.stage());
    head.set_producer(graph.producer());
    head.set_format_version(graph.format_version());
    head.SerializeToCodedStream(&out);
    Write(v1::Graph::kOpsetImportsFieldNumber, graph.opset_imports(), out);
    for (const std::string& symbol : graph.symbols()) {
      WriteHeader(v1::Graph::kSymbolsFieldNumber, symbol.size(), out);
      out.WriteString(symbol);
    }
    Write(v1::Graph::kSpecsFieldNumber, graph.specs(), out);
    Write(v1::Graph::kValuesFieldNumber, graph.values(), out);
    Write(v1::Graph::kNodesFieldNumber, graph.nodes(), out);
    v1::Graph signature;
    *signature.mutable_inputs() = graph.inputs();
    *signature.mutable_outputs() = graph.outputs();
    signature.SerializeToCodedStream(&out);
    Write(v1::Graph::kSubgraphsFieldNumber, graph.subgraphs(), out);
    v1::Graph tail;
    if (graph.has_encodings_file()) *tail.mutable_encodings_file() = graph.encodings_file();
    *tail.mutable_unused_operators() = graph.unused_operators();
    tail.SerializeToCodedStream(&out);
    v1::Graph unknown;
    unknown.GetReflection()->MutableUnknownFields(&unknown)->MergeFrom(graph.GetReflection()->GetUnknownFields(graph));
    unknown.SerializeToCodedStream(&out);
  }
  return sink.HexDigest();
}

}  // namespace quantgate
