quantgate_test(graph_test graph_test.cc LIBS quantgate_rules)
