quantgate_test(soundness_test soundness_test.cc soundness_form_cases.cc soundness_annotation_cases.cc soundness_tflite_cases.cc
               soundness_encodings_cases.cc soundness_onnx_cases.cc
               LIBS quantgate_rules)
quantgate_test(attained_range_test attained_range_test.cc LIBS quantgate_rules)
quantgate_test(soundness_tables_test soundness_tables_test.cc LIBS quantgate_rules)
