quantgate_fuzz(graph_proto CORPUS graph LIBS quantgate_rules quantgate_db)
