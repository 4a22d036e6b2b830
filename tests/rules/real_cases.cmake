# Against the real tables.
quantgate_test(real_cases_test real_cases_test.cc LIBS quantgate_rules quantgate_db)
target_compile_definitions(real_cases_test PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(real_cases_test quantgate_tables_db)
