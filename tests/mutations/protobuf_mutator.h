// Changes of a protobuf message by reflection.
#ifndef QUANTGATE_TESTS_MUTATIONS_PROTOBUF_MUTATOR_H_
#define QUANTGATE_TESTS_MUTATIONS_PROTOBUF_MUTATOR_H_

#include "google/protobuf/message.h"
#include "tests/mutations/random.h"

namespace quantgate::mutations {

// Makes one change somewhere in `message`: a value at a boundary, an element dropped, doubled, swapped, or a part of
// `donor`, a message of the same type, in the place of one of the same kind.
void MutateMessage(google::protobuf::Message& message, const google::protobuf::Message& donor, Random& random);

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_PROTOBUF_MUTATOR_H_
