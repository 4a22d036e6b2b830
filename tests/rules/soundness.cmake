quantgate_test(soundness_test soundness/soundness_test.cc soundness/annotation_cases.cc soundness/encodings_cases.cc
               soundness/form_cases.cc soundness/onnx_cases.cc soundness/tflite_cases.cc LIBS quantgate_rules)
quantgate_test(soundness_tables_test soundness/tables_test.cc LIBS quantgate_rules)
quantgate_test(attained_range_test values/attained_range_test.cc LIBS quantgate_rules)
quantgate_test(largest_number_test values/largest_number_test.cc LIBS quantgate_rules)
