quantgate_test(pitfalls_test TABLES pitfalls_test.cc LIBS quantgate_rules)
