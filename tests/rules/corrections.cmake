# On the graphs of tests/data.
quantgate_test(corrections_test TABLES corrections/repair_test.cc corrections/report_test.cc corrections/search_test.cc
               corrections/fixtures_test.cc corrections/files_test.cc
               LIBS quantgate_client_import quantgate_rules absl::time
               LONG Repair.TenThousandNodesWithAThousandFaults)
quantgate_test(cost_test TABLES corrections/cost_test.cc LIBS quantgate_rules)
