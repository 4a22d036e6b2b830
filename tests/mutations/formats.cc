#include "tests/mutations/formats.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx.pb.h"
#include "quantgate/v1/graph.pb.h"
#include "tests/mutations/json_mutator.h"
#include "tests/mutations/protobuf_mutator.h"
#include "tests/mutations/pt2_mutator.h"
#include "tests/mutations/tflite_mutator.h"

namespace quantgate::mutations {
namespace {

// Most cases have one fault or two: the first one that is met often ends what a check looks at.
int AnyCount(Random& random) {
  int count = 1;
  while (count < 8 && random.OneIn(2)) ++count;
  return count;
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// In the order of their names: a case must be the same on every machine.
std::vector<std::filesystem::path> GoodFiles(const std::string& folder, absl::string_view ending) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && absl::EndsWith(name, ending) && !absl::StartsWith(name, "bad")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> ReadAll(const std::string& folder, absl::string_view ending) {
  std::vector<std::string> all;
  for (const auto& path : GoodFiles(folder, ending)) all.push_back(Read(path));
  return all;
}

template <typename Message>
std::function<Case(Random&)> OfMessages(const std::string& folder, absl::string_view ending) {
  std::vector<Message> messages;
  for (const std::string& bytes : ReadAll(folder, ending)) {
    Message message;
    if (message.ParseFromString(bytes)) messages.push_back(std::move(message));
  }
  if (messages.empty()) return nullptr;
  return [messages](Random& random) {
    Message message = messages[random.Below(messages.size())];
    for (int i = AnyCount(random); i > 0; --i) {
      MutateMessage(message, random.OneIn(3) ? messages[random.Below(messages.size())] : Message(message), random);
    }
    return Case{message.SerializePartialAsString(), ""};
  };
}

std::function<Case(Random&)> OfTflite(const std::string& folder) {
  std::vector<std::string> files = ReadAll(folder, ".tflite");
  if (files.empty()) return nullptr;
  return [files](Random& random) {
    return Case{MutateTflite(files[random.Below(files.size())], AnyCount(random), random), ""};
  };
}

std::function<Case(Random&)> OfPt2(const std::string& folder) {
  std::vector<Members> archives;
  for (const std::string& bytes : ReadAll(folder, ".pt2")) archives.push_back(Unzip(bytes));
  if (archives.empty()) return nullptr;
  return [archives](Random& random) {
    return Case{MutatePt2(archives[random.Below(archives.size())], AnyCount(random), random), ""};
  };
}

std::function<Case(Random&)> OfNets(const std::string& folder) {
  std::vector<std::string> files = ReadAll(folder, ".json");
  if (files.empty()) return nullptr;
  return [files](Random& random) {
    return Case{MutateJson(files[random.Below(files.size())], AnyCount(random), random), ""};
  };
}

std::function<Case(Random&)> OfEncodings(const std::string& folder) {
  std::map<std::string, std::string> models;
  for (const auto& path : GoodFiles(folder + "/models", ".onnx")) models[path.stem().string()] = Read(path);
  std::vector<Case> files;
  for (const auto& path : GoodFiles(folder, ".encodings")) {
    const std::string name = path.filename().string();
    const auto model = models.find(name.substr(0, name.find('.')));
    if (model != models.end()) files.push_back({model->second, Read(path)});
  }
  if (files.empty()) return nullptr;
  return [files](Random& random) {
    const Case& good = files[random.Below(files.size())];
    return Case{good.model, MutateJson(good.encodings, AnyCount(random), random)};
  };
}

}  // namespace

std::optional<Format> LoadFormat(const std::string& name, const std::string& folder) {
  const char* const htp = "qnn_htp/SM8650@2.51";
  const char* const old_htp = "qnn_htp/SM8350@2.25";
  Format format;
  if (name == "onnx")
    format = {".onnx", {"onnxruntime/cpu", htp, old_htp}, OfMessages<onnx::ModelProto>(folder, ".onnx")};
  if (name == "graph")
    format = {".pb",
              {htp, "qnn_lpai/SM8850", "xnnpack", "x86_inductor/avx2", "qnn_htp/SM8350@2.49", "qnn_htp/SM8750@2.49"},
              OfMessages<v1::Graph>(folder, ".pb")};
  if (name == "tflite")
    format = {".tflite",
              {"litert/xnnpack", "litert/reference", htp, "ethos_u/ethos-u55-128", "ethos_u/ethos-u85-256"},
              OfTflite(folder)};
  if (name == "pt2") format = {".pt2", {"xnnpack", "x86_inductor/avx2", htp}, OfPt2(folder)};
  if (name == "qnn_net") format = {".json", {htp, old_htp}, OfNets(folder)};
  if (name == "encodings") format = {".onnx", {htp}, OfEncodings(folder)};
  if (format.make == nullptr) return std::nullopt;
  return format;
}

}  // namespace quantgate::mutations
