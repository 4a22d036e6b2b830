#include "rules/graph/digest.h"

#include <openssl/evp.h>

#include <memory>

#include "absl/strings/escaping.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream.h"

namespace quantgate {
namespace {

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

}  // namespace

std::string GraphDigest(const v1::Graph& graph) {
  HashingStream sink;
  {
    google::protobuf::io::CodedOutputStream stream(&sink);
    stream.SetSerializationDeterministic(true);
    graph.SerializeToCodedStream(&stream);
  }
  return sink.HexDigest();
}

}  // namespace quantgate
