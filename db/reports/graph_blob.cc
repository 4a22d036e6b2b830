#include "db/reports/graph_blob.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "db/reports/report_store.h"
#include "db/sha256.h"

namespace quantgate::db::reports {
namespace {

namespace io = google::protobuf::io;

bool HasWeights(const v1::Graph& graph) {
  for (const v1::Value& value : graph.values()) {
    if (!value.constant().data().empty()) return true;
  }
  for (const v1::Graph& subgraph : graph.subgraphs()) {
    if (HasWeights(subgraph)) return true;
  }
  return false;
}

void DropWeights(v1::Graph& graph) {
  for (v1::Value& value : *graph.mutable_values()) {
    if (value.has_constant()) value.mutable_constant()->clear_data();
  }
  for (v1::Graph& subgraph : *graph.mutable_subgraphs()) DropWeights(subgraph);
}

}  // namespace

std::optional<std::string> PackGraph(const v1::Graph& graph) {
  v1::Graph light;
  const v1::Graph* kept = &graph;
  if (HasWeights(graph)) {
    light = graph;
    DropWeights(light);
    kept = &light;
  }
  if (static_cast<int64_t>(kept->ByteSizeLong()) > kMaxGraphBytes) return std::nullopt;
  std::string blob;
  {
    io::StringOutputStream out(&blob);
    io::GzipOutputStream::Options options;
    options.compression_level = 1;  // names repeat: the first level gets nearly all of it
    io::GzipOutputStream zipped(&out, options);
    if (!kept->SerializeToZeroCopyStream(&zipped) || !zipped.Close()) return std::nullopt;
  }
  return blob;
}

std::string DigestOf(const v1::Graph& graph) {
  std::string bytes;
  {
    io::StringOutputStream out(&bytes);
    io::CodedOutputStream coded(&out);
    coded.SetSerializationDeterministic(true);
    graph.SerializeToCodedStream(&coded);
  }
  return Sha256Hex(bytes);
}

std::optional<v1::Graph> UnpackGraph(absl::string_view blob) {
  io::ArrayInputStream in(blob.data(), static_cast<int>(blob.size()));
  io::GzipInputStream unzipped(&in);
  // A damaged store must not make gigabytes of kilobytes.
  io::LimitingInputStream limited(&unzipped, kMaxGraphBytes + 1);
  v1::Graph graph;
  if (!graph.ParseFromZeroCopyStream(&limited) || limited.ByteCount() > kMaxGraphBytes) return std::nullopt;
  return graph;
}

}  // namespace quantgate::db::reports
