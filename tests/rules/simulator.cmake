quantgate_test(simulator_arithmetic_test simulator/arithmetic_test.cc LIBS quantgate_simulator)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
# Runs records of single operator calls: tests compare with stored ones, scripts with what runtimes say now.
add_library(simulator_records STATIC simulator/record.cc simulator/known_differences.cc)
target_link_libraries(simulator_records PUBLIC quantgate_simulator ZLIB::ZLIB nlohmann_json::nlohmann_json)
add_executable(judge_kernels simulator/judge_kernels.cc)
target_link_libraries(judge_kernels PRIVATE simulator_records)
quantgate_test(simulator_golden_test simulator/golden_test.cc LIBS simulator_records)
