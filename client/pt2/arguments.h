// One argument of a node: what of it is an operand, and what a parameter.
#ifndef QUANTGATE_CLIENT_PT2_ARGUMENTS_H_
#define QUANTGATE_CLIENT_PT2_ARGUMENTS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "client/pt2/json.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::pt2 {

// Names of values in an argument, in order. "" stands for an absent member of a list of operands.
struct Operands {
  std::vector<absl::string_view> names;
  // The argument is more than its operands: a list of sizes some of which are known at run time only. It is then a
  // parameter as well.
  bool has_more = false;
};

// Empty for an argument that names no value.
Operands OperandsOf(const Tagged& argument);

// Sets the value of an argument that is no operand; sizes known at run time only are -1. Kinds of arguments that this
// version does not know become their tag.
void SetAttribute(const Tagged& argument, v1::Attribute* attribute);

}  // namespace quantgate::pt2

#endif  // QUANTGATE_CLIENT_PT2_ARGUMENTS_H_
