# PostgreSQL is started once for all tests that need it, so they are one test; the others are one each.
quantgate_test(reports_test THREADS NO_POSTGRES reports_databases.cc reports_fixture.cc
               postgres_cluster.cc reports_filter_test.cc reports_history_test.cc reports_postgres_test.cc
               reports_sqlite_test.cc reports_store_test.cc reports_volume_test.cc LIBS quantgate_reports SQLite::SQLite3
               OpenSSL::Crypto)
add_test(NAME reports_test_postgres COMMAND reports_test --gtest_filter=*Postgres*)
set_tests_properties(reports_test_postgres PROPERTIES LABELS threads SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
