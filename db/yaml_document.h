// The one document of a YAML file that people write.
#ifndef QUANTGATE_DB_YAML_DOCUMENT_H_
#define QUANTGATE_DB_YAML_DOCUMENT_H_

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace quantgate::db {

// A null node for a file with nothing in it. Throws as YAML::Load does, and for a second document, which YAML::Load
// drops without a word.
inline YAML::Node LoadYamlDocument(const std::string& text) {
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  if (documents.size() > 1) throw YAML::Exception(documents[1].Mark(), "a second document; a file holds one");
  return documents.empty() ? YAML::Node() : documents[0];
}

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_YAML_DOCUMENT_H_
