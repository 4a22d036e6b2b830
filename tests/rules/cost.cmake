quantgate_test(cost_test cost_test.cc LIBS quantgate_rules quantgate_db)
target_compile_definitions(cost_test PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(cost_test quantgate_tables_db)
