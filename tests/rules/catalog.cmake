quantgate_test(catalog_test THREADS catalog_test.cc LIBS quantgate_rules quantgate_db)
target_compile_definitions(catalog_test PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
add_dependencies(catalog_test quantgate_tables_db)
