// The formats, and how a case of each is made.
#ifndef QUANTGATE_TESTS_MUTATIONS_FORMATS_H_
#define QUANTGATE_TESTS_MUTATIONS_FORMATS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/mutations/random.h"

namespace quantgate::mutations {

// A changed model.
struct Case {
  std::string model;
  std::string encodings;  // of the model; empty: none
};

struct Format {
  std::string ending;                // of the model's file
  std::vector<std::string> targets;  // that such files are made for
  std::function<Case(Random&)> make;
};

// Loads the good files in `folder`: those that do not begin with "bad.". Of encodings the folder has the models below
// models/, each under the first word of its encodings' names. nullopt: no such format, or no good files.
std::optional<Format> LoadFormat(const std::string& name, const std::string& folder);

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_FORMATS_H_
