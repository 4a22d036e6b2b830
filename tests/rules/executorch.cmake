# Against the real tables.
quantgate_test(executorch_test executorch_test.cc LIBS quantgate_rules quantgate_db)
target_compile_definitions(executorch_test PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(executorch_test quantgate_tables_db)
