find_package(nlohmann_json REQUIRED)
quantgate_test(onnx_shapes_test onnx/shapes_test.cc
               LIBS quantgate_rules quantgate_client_import nlohmann_json::nlohmann_json)
quantgate_test(onnx_runs_test onnx/runs_test.cc
               LIBS quantgate_rules quantgate_client_import nlohmann_json::nlohmann_json)
