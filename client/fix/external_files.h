// External data of a model that is written to another folder.
#ifndef QUANTGATE_CLIENT_FIX_EXTERNAL_FILES_H_
#define QUANTGATE_CLIENT_FIX_EXTERNAL_FILES_H_

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "client/passing_path.h"

namespace quantgate {

// Copies the files that a model refers to from its folder to another; those that are there with the same content stay.
// Files that were made are removed again unless Keep is called.
class ExternalFiles {
 public:
  ExternalFiles() = default;
  ExternalFiles(const ExternalFiles&) = delete;
  ExternalFiles& operator=(const ExternalFiles&) = delete;
  ~ExternalFiles();

  // Locations that lead out of the folder, or nowhere, are left as they are: nobody reads them. FAILED_PRECONDITION:
  // one of them is the file `model` itself, another file has its name, or it cannot be written.
  absl::Status Copy(const std::filesystem::path& from, const std::filesystem::path& model,
                    absl::Span<const std::string> locations);
  void Keep();

 private:
  std::vector<std::filesystem::path> made_;
  std::deque<PassingPath> passing_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_FIX_EXTERNAL_FILES_H_
