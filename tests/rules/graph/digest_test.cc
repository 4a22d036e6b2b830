// The digest of a graph is that of its deterministic encoding, whatever way it is computed.
#include "rules/graph/digest.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <string>

#include "absl/strings/escaping.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"

namespace quantgate {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Encoding(const v1::Graph& graph) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  graph.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

std::string Sha256(const std::string& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

void SetNumber(const FieldDescriptor& field, int number, Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return repeated ? reflection.AddInt32(&message, &field, number) : reflection.SetInt32(&message, &field, number);
    case FieldDescriptor::CPPTYPE_INT64:
      return repeated ? reflection.AddInt64(&message, &field, -number) : reflection.SetInt64(&message, &field, -number);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return repeated ? reflection.AddDouble(&message, &field, number) : reflection.SetDouble(&message, &field, number);
    case FieldDescriptor::CPPTYPE_BOOL:
      return repeated ? reflection.AddBool(&message, &field, true) : reflection.SetBool(&message, &field, true);
    case FieldDescriptor::CPPTYPE_ENUM:
      return repeated ? reflection.AddEnumValue(&message, &field, 1) : reflection.SetEnumValue(&message, &field, 1);
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text(number * 7 % 200, 'a');
      return repeated ? reflection.AddString(&message, &field, text) : reflection.SetString(&message, &field, text);
    }
    default:
      ADD_FAILURE() << "a type that the contract did not use so far: " << field.full_name();
  }
}

// Every field of every message, repeated ones more than once; of a oneof, the last one set.
void Fill(int depth, int& number, Message& message) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    ASSERT_FALSE(field.is_map()) << field.full_name();
    for (int times = field.is_repeated() ? 3 : 1; times > 0; --times) {
      ++number;
      if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        SetNumber(field, number, message);
      } else if (depth > 0) {
        Fill(depth - 1, number,
             field.is_repeated() ? *message.GetReflection()->AddMessage(&message, &field)
                                 : *message.GetReflection()->MutableMessage(&message, &field));
      }
    }
  }
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(1000 + number % 5, number);
}

TEST(Digest, IsThatOfTheDeterministicEncoding) {
  EXPECT_EQ(GraphDigest(v1::Graph()), Sha256(""));
  v1::Graph graph;
  int number = 0;
  Fill(/*depth=*/4, number, graph);
  ASSERT_GT(Encoding(graph).size(), 100'000u);
  EXPECT_EQ(GraphDigest(graph), Sha256(Encoding(graph)));
}

TEST(Digest, DoesNotDependOnTheOrderOfTheWire) {
  v1::Graph head;
  head.set_name("head");
  v1::Graph node;
  node.add_nodes()->set_op(1);
  v1::Graph in_order;
  ASSERT_TRUE(in_order.ParseFromString(head.SerializeAsString() + node.SerializeAsString()));
  v1::Graph reversed;
  ASSERT_TRUE(reversed.ParseFromString(node.SerializeAsString() + head.SerializeAsString()));
  EXPECT_EQ(GraphDigest(reversed), GraphDigest(in_order));
}

}  // namespace
}  // namespace quantgate
