# PostgreSQL is started once for all tests that need it, so they are one test; the others are one each.
quantgate_test(reports_test THREADS NO_POSTGRES reports/databases.cc reports/fixture.cc
               reports/postgres_cluster.cc reports/filter_test.cc reports/history_test.cc reports/postgres_test.cc
               reports/sqlite_test.cc reports/store_test.cc reports/volume_test.cc LIBS quantgate_reports SQLite::SQLite3
               OpenSSL::Crypto)
add_test(NAME reports_test_postgres COMMAND reports_test --gtest_filter=*Postgres*)
set_tests_properties(reports_test_postgres PROPERTIES LABELS threads SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
