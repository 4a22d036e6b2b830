# Against the real tables, and the graphs of tests/data.
quantgate_test(corrections_test corrections/repair_test.cc corrections/report_test.cc corrections/search_test.cc corrections/fixtures_test.cc corrections/files_test.cc LIBS quantgate_client_import quantgate_rules quantgate_db absl::time
               LONG Repair.TenThousandNodesWithAThousandFaults)
target_compile_definitions(corrections_test PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(corrections_test quantgate_tables_db)
