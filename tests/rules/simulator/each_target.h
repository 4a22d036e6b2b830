// Tests that run once for each instruction set that this processor has and that kernels were compiled for.
#ifndef QUANTGATE_TESTS_RULES_SIMULATOR_EACH_TARGET_H_
#define QUANTGATE_TESTS_RULES_SIMULATOR_EACH_TARGET_H_

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <string>

namespace quantgate::simulator {

class EachTarget : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { Use(GetParam()); }
  void TearDown() override { Use(0); }  // 0: what the processor has

 private:
  static void Use(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

inline std::string TargetNameOf(const testing::TestParamInfo<int64_t>& info) { return hwy::TargetName(info.param); }

}  // namespace quantgate::simulator

#endif  // QUANTGATE_TESTS_RULES_SIMULATOR_EACH_TARGET_H_
