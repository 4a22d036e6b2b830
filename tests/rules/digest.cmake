quantgate_test(digest_test digest_test.cc LIBS quantgate_rules OpenSSL::Crypto)
