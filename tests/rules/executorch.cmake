# Against the real tables.
foreach(name executorch_test executorch_arguments_test executorch_encodings_test executorch_integers_test
             executorch_layout_test executorch_parameters_test executorch_parts_test lost_assignment_test)
  quantgate_test(${name} ${name}.cc LIBS quantgate_rules quantgate_db)
  target_compile_definitions(${name} PRIVATE QUANTGATE_TABLES_FILE="${CMAKE_BINARY_DIR}/quantgate-tables.sqlite")
  add_dependencies(${name} quantgate_tables_db)
endforeach()
