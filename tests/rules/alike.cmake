quantgate_test(alike_test alike_test.cc LIBS quantgate_rules)
