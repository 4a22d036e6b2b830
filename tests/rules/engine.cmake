quantgate_test(engine_test engine_test.cc LIBS quantgate_rules)
