#include "client/cli/import_flags.h"

#include "client/cli/size_flag.h"

namespace quantgate {

void AddImportFlags(CLI::App& command, ImportOptions& options) {
  command
      .add_option("--encodings", options.encodings,
                  "AIMET encodings, or QNN or SNPE quantization overrides, of the ONNX model")
      ->type_name("FILE");
  TakesSize(command.add_option(
                "--read-weights", options.max_scanned_bytes,
                "Look at the elements of so much of the weights in files beside the model, such as 8GB (default "
                "128MB); of the rest their sizes are judged"),
            /*least=*/0);
}

}  // namespace quantgate
