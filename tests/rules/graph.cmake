foreach(name alike digest graph elements sharing sharing_forest)
  quantgate_test(${name}_test graph/${name}_test.cc LIBS quantgate_rules)
endforeach()
target_link_libraries(digest_test PRIVATE OpenSSL::Crypto)
