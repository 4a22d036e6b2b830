#include "rules/engine/file_errors.h"

namespace quantgate {

const RuleInfo kUnreadableFile = {
    "FI001",
    "unreadable-file",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The file is no model of a known format, or it is damaged: the question cannot be answered. Never a finding; the "
    "error line names the place, and the exit code is 2.",
    "Export the model again; compare the size and checksum of the copy with the original's.",
    "An ONNX file that is cut off in the middle ends so. One with an unknown operator does not.",
};

const RuleInfo kFileBeyondLimit = {
    "FI002",
    "file-beyond-limit",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The file asks for more memory or depth than a model needs, or than this program was told to give. Never a "
    "finding; the error line names the limit, and the exit code is 2.",
    "If the file can be trusted, split the model or use a server with a larger limit.",
    "A graph with subgraphs nested a thousand deep ends so. A large language model does not.",
};

}  // namespace quantgate
