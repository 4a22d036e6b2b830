quantgate_test(engine_test THREADS engine_test.cc positions_test.cc LIBS quantgate_rules)
