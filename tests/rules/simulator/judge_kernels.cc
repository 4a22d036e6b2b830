// judge_kernels [--verbose] FILE...: runs every record of the files under the profile of each oracle and prints a
// table: operator, oracle, records equal / within one step / further off / without a kernel, and the values that
// differ.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "tests/rules/simulator/known_differences.h"
#include "tests/rules/simulator/record.h"

namespace quantgate::simulator {
namespace {

struct Row {
  int equal = 0, near = 0, off = 0, refused = 0;
  int64_t elements = 0, differ = 0;
  double largest = 0;
  std::string reason;
};

int Main(int argc, char** argv) {
  bool verbose = false;
  int unknown = 0;
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--verbose") == 0) {
      verbose = true;
      continue;
    }
    const absl::Status status = ForEachRecord(argv[i], [&](const Record& record) {
      for (const auto& [oracle, expected] : record.oracles) {
        const Profile* profile = ProfileOfOracle(oracle);
        if (profile == nullptr) continue;
        const Difference difference = Compare(record, *profile, expected);
        const bool in_float =
            difference.status.code() == absl::StatusCode::kUnimplemented && IsComputedInFloat(record, oracle);
        if (!in_float && (!difference.status.ok() || !IsKnown(record, oracle, difference))) {
          ++unknown;
          std::printf("not known: %s under %s: %lld of %lld, largest %g %s\n", record.id.c_str(), oracle.c_str(),
                      static_cast<long long>(difference.differ), static_cast<long long>(difference.elements),
                      difference.largest, std::string(difference.status.message()).c_str());
        }
        Row& row = rows[{record.op + " " + std::to_string(8 * ElementSize(record.output.tensor.type)), oracle}];
        if (!difference.status.ok()) {
          ++row.refused;
          row.reason = std::string(difference.status.message());
        } else {
          (difference.differ == 0 ? row.equal : difference.largest <= 1 ? row.near : row.off)++;
          row.elements += difference.elements;
          row.differ += difference.differ;
          row.largest = std::max(row.largest, difference.largest);
        }
        if (verbose && (difference.differ > 0 || !difference.status.ok())) {
          std::printf("%s %s: %lld of %lld, largest %g %s\n", record.id.c_str(), oracle.c_str(),
                      static_cast<long long>(difference.differ), static_cast<long long>(difference.elements),
                      difference.largest, std::string(difference.status.message()).c_str());
        }
      }
    });
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
      return 1;
    }
  }
  Row all;
  for (const auto& [key, row] : rows) {
    std::printf("%-24s %-26s %4d %4d %4d %4d  %7lld / %-8lld %g %s\n", key.first.c_str(), key.second.c_str(), row.equal,
                row.near, row.off, row.refused, static_cast<long long>(row.differ),
                static_cast<long long>(row.elements), row.largest, row.reason.c_str());
    all.equal += row.equal;
    all.near += row.near;
    all.off += row.off;
    all.refused += row.refused;
  }
  std::printf("equal %d, within one step %d, further off %d, no kernel %d; not known %d\n", all.equal, all.near,
              all.off, all.refused, unknown);
  return unknown == 0 ? 0 : 1;
}

}  // namespace
}  // namespace quantgate::simulator

int main(int argc, char** argv) { return quantgate::simulator::Main(argc, argv); }
