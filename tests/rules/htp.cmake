quantgate_test(htp_test htp_lowering_test.cc folding_test.cc htp_lowering_families_test.cc htp_tflite_lowering_test.cc htp_rules_test.cc htp_module_test.cc htp_provider_test.cc LIBS quantgate_rules quantgate_db)
target_compile_definitions(htp_test PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(htp_test quantgate_tables_db)
