// Small .pt2 archives made in memory.
#ifndef QUANTGATE_TESTS_CLIENT_PT2_ARCHIVE_H_
#define QUANTGATE_TESTS_CLIENT_PT2_ARCHIVE_H_

#include <zip.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate {

using Members = std::map<std::string, std::string>;

// A zip archive; `method` is ZIP_CM_STORE or ZIP_CM_DEFLATE, …
inline std::string Zip(const Members& members, int32_t method = ZIP_CM_DEFLATE) {
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
  zip_source_keep(target);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0 || zip_set_file_compression(archive, static_cast<uint64_t>(index), method, 0) != 0) std::abort();
  }
  if (zip_close(archive) != 0) std::abort();
  zip_stat_t facts;
  zip_source_stat(target, &facts);
  std::string result(facts.size, '\0');
  zip_source_open(target);
  zip_source_read(target, result.data(), facts.size);
  zip_source_close(target);
  zip_source_free(target);
  return result;
}

inline std::string MetaJson(int dtype, const std::vector<int64_t>& sizes, std::vector<int64_t> strides = {},
                            int64_t offset = 0) {
  int64_t stride = 1;
  if (strides.empty()) {
    for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) strides.insert(strides.begin(), stride);
  }
  const auto integer = [](std::string* out, int64_t value) { absl::StrAppend(out, "{\"as_int\": ", value, "}"); };
  return absl::StrCat("{\"dtype\": ", dtype, ", \"sizes\": [", absl::StrJoin(sizes, ",", integer),
                      "], \"requires_grad\": false, \"device\": {\"type\": \"cpu\", \"index\": null}, \"strides\": [",
                      absl::StrJoin(strides, ",", integer), "], \"storage_offset\": {\"as_int\": ", offset,
                      "}, \"layout\": 7}");
}

// A program with user inputs, lifted parameters and nodes, in the words of torch's schema.
struct Program {
  std::string inputs;   // Arguments
  std::string outputs;  // one Argument, or none
  std::string nodes;    // Nodes
  std::string tensors;  // "name": TensorMeta
  std::string specs;    // InputSpecs
  std::string weights;  // "fqn": PayloadMeta
  Members members;      // below data/weights/
  std::string version = R"({"major": 8, "minor": 20})";

  std::string Graph() const {
    return absl::StrCat("{\"inputs\": [", inputs, "], \"outputs\": [", outputs, "], \"nodes\": [", nodes,
                        "], \"tensor_values\": {", tensors,
                        "}, \"sym_int_values\": {}, \"sym_bool_values\": {}, \"a_later_key\": [1, {}]}");
  }
  std::string Json() const {
    const std::string results = outputs.empty() ? "" : absl::StrCat("{\"user_output\": {\"arg\": ", outputs, "}}");
    return absl::StrCat("{\"graph_module\": {\"graph\": ", Graph(), ", \"signature\": {\"input_specs\": [", specs,
                        "], \"output_specs\": [", results,
                        "]}}, \"opset_version\": {\"aten\": 10}, \"schema_version\": ", version,
                        ", \"torch_version\": \"2.13.0\"}");
  }
  Members Files() const {
    Members all = {{"m/.data/version", "6\n"},
                   {"m/archive_format", "pt2"},
                   {"m/archive_version", "0"},
                   {"m/byteorder", "little"},
                   {"m/models/model.json", Json()},
                   {"m/data/weights/model_weights_config.json", absl::StrCat("{\"config\": {", weights, "}}")},
                   {"m/data/constants/model_constants_config.json", "{\"config\": {}}"}};
    for (const auto& [name, bytes] : members) all["m/data/weights/" + name] = bytes;
    return all;
  }
  std::string Bytes() const { return Zip(Files()); }
};

inline std::string Tensor(const std::string& name) {
  return absl::StrCat("{\"as_tensor\": {\"name\": \"", name, "\"}}");
}

inline std::string Argument(const std::string& name, const std::string& value, int kind = 1) {
  return absl::StrCat("{\"name\": \"", name, "\", \"arg\": ", value, ", \"kind\": ", kind, "}");
}

inline std::string NodeJson(const std::string& target, const std::string& inputs, const std::string& outputs,
                            const std::string& name, const std::string& more = "") {
  return absl::StrCat("{\"target\": \"", target, "\", \"inputs\": [", inputs, "], \"outputs\": [", outputs,
                      "], \"metadata\": {", more, "}, \"is_hop_single_tensor_return\": null, \"name\": \"", name,
                      "\"}");
}

inline std::string Payload(const std::string& path, const std::string& meta, bool pickled = false) {
  return absl::StrCat("{\"path_name\": \"", path,
                      "\", \"is_param\": true, \"use_pickle\": ", pickled ? "true" : "false",
                      ", \"tensor_meta\": ", meta, "}");
}

inline std::string UserInput(const std::string& name) {
  return absl::StrCat("{\"user_input\": {\"arg\": ", Tensor(name), "}}");
}

inline std::string Parameter(const std::string& name, const std::string& fqn) {
  return absl::StrCat("{\"parameter\": {\"arg\": {\"name\": \"", name, "\"}, \"parameter_name\": \"", fqn, "\"}}");
}

template <typename T>
std::string Raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_CLIENT_PT2_ARCHIVE_H_
