// compile_tables OUTPUT FILE...: the build step that turns db/tables into the database.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "db/compiler/compile.h"

namespace quantgate::db {
namespace {

absl::Status Run(const std::string& output, const std::vector<std::string>& inputs) {
  std::vector<SourceFile> files;
  for (const std::string& path : inputs) {
    std::ifstream stream(path);
    std::stringstream text;
    text << stream.rdbuf();
    if (!stream) return absl::NotFoundError(path + ": cannot be read");
    files.push_back({path, text.str()});
  }
  const auto sources = ParseSources(files);
  if (!sources.ok()) return sources.status();
  return WriteDatabase(*sources, output);
}

}  // namespace
}  // namespace quantgate::db

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: compile_tables OUTPUT FILE...\n";
    return 2;
  }
  const absl::Status status = quantgate::db::Run(argv[1], std::vector<std::string>(argv + 2, argv + argc));
  if (status.ok()) return 0;
  std::cerr << status.message() << "\n";
  return 1;
}
