foreach(name operators definitions)
  quantgate_test(${name}_test operators/${name}_test.cc LIBS quantgate_rules)
endforeach()
