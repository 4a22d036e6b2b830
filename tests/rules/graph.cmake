quantgate_test(graph_test graph_test.cc LIBS quantgate_rules)
quantgate_test(elements_test elements_test.cc LIBS quantgate_rules)
