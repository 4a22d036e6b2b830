quantgate_test(encodings_graph_test engine/encodings_graph_test.cc LIBS quantgate_rules)
quantgate_test(engine_test THREADS engine/engine_test.cc engine/positions_test.cc LIBS quantgate_rules)
quantgate_test(catalog_test THREADS TABLES engine/catalog_test.cc LIBS quantgate_rules)
