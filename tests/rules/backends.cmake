foreach(name ethos_u_module litert_module onnxruntime_module onnxruntime_pair table_modules)
  quantgate_test(${name}_test TABLES backends/${name}_test.cc LIBS quantgate_rules)
endforeach()

file(GLOB htp_tests CONFIGURE_DEPENDS backends/folding_test.cc backends/qnn/*.cc backends/qnn_htp/*.cc)
quantgate_test(htp_test TABLES ${htp_tests} LIBS quantgate_rules)

# One executable each: their files have the same names in them.
file(GLOB executorch_tests CONFIGURE_DEPENDS backends/qnn_htp/executorch/*.cc)
foreach(source ${executorch_tests})
  cmake_path(GET source STEM name)
  if(NOT name MATCHES executorch)
    string(PREPEND name executorch_)
  endif()
  quantgate_test(${name} TABLES ${source} LIBS quantgate_rules)
endforeach()
quantgate_test(less_known_test TABLES backends/less_known_test.cc simulator/graph_record.cc
               LIBS quantgate_rules quantgate_simulator quantgate_client_import nlohmann_json::nlohmann_json ZLIB::ZLIB)
