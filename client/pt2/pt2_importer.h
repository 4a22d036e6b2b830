// Exported programs of PyTorch (.pt2, torch.export.save): archives of format "pt2", schema version 8.
#ifndef QUANTGATE_CLIENT_PT2_PT2_IMPORTER_H_
#define QUANTGATE_CLIENT_PT2_PT2_IMPORTER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/import.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// The bytes of a .pt2 file as a graph. Pickles in it are never read.
//
// Fidelity. What torch.fx has after torch.export.load, under the same names: placeholders and nodes are values, in that
// order; nodes with several results have one value, a tuple, and are followed by the nodes that take the results out of
// it. Operators have the names that the Python package gives those of a live graph ("aten.conv2d.default"). Parameters,
// buffers and constant tensors are constants; the other placeholders are the graph's inputs. Bodies of control flow are
// subgraphs, and further programs of the archive are subgraphs behind them. Nothing is repaired.
absl::StatusOr<v1::Graph> ImportPt2(absl::string_view bytes, const ImportOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_PT2_PT2_IMPORTER_H_
