quantgate_test(reports_test THREADS reports_filter_test.cc reports_store_test.cc LIBS quantgate_reports SQLite::SQLite3)
