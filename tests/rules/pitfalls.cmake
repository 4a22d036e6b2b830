# Against the real tables.
quantgate_test(pitfalls_test pitfalls_test.cc LIBS quantgate_rules quantgate_db)
target_compile_definitions(pitfalls_test PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(pitfalls_test quantgate_tables_db)
