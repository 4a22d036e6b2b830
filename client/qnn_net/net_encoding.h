// The quant_params of one tensor of a net.json.
#ifndef QUANTGATE_CLIENT_QNN_NET_NET_ENCODING_H_
#define QUANTGATE_CLIENT_QNN_NET_NET_ENCODING_H_

#include "absl/status/status.h"
#include "client/json/document.h"
#include "client/qnn_net/net_types.h"
#include "quantgate/v1/spec.pb.h"

namespace quantgate::qnn_net {

// Fills `spec`, whose tensor has these type and sizes. A kind of encoding that the format does not say how to write
// leaves it without numbers, with the scheme if that is known. FI001: a field of another kind, with the place.
absl::Status ReadEncoding(JsonValue quant_params, DataType type, v1::Spec& spec);

// "…, at line 3, column 14", as the end of an error.
absl::Status Malformed(absl::string_view what, JsonValue value);

}  // namespace quantgate::qnn_net

#endif  // QUANTGATE_CLIENT_QNN_NET_NET_ENCODING_H_
