# Against the real tables.
quantgate_test(packed_constants_test packed_constants_test.cc LIBS quantgate_client_import quantgate_report
                     quantgate_rules quantgate_db)
target_compile_definitions(packed_constants_test
                           PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(packed_constants_test quantgate_tables_db)
