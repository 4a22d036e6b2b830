// What this build says it can check.
#include "rules/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "db/database.h"
#include "rules/all_rules.h"
#include "tests/rules/effects.h"
#include "tests/rules/empty_tables.h"

namespace quantgate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class CatalogTest : public ::testing::Test {
 protected:
  CatalogTest() : database_(db::Database::Open(QUANTGATE_TABLES_FILE).value()), registry_(*database_) {
    RegisterBuiltinModules(registry_);
  }
  const RuleInfo& Rule(absl::string_view code) {
    for (const RuleInfo* rule : AllRules()) {
      if (code == rule->code) return *rule;
    }
    ADD_FAILURE() << "no rule " << code;
    static const RuleInfo none = {};
    return none;
  }

  std::unique_ptr<db::Database> database_;
  ModuleRegistry registry_;
};

TEST_F(CatalogTest, EffectsThatEndAreErrorsAndNoOthers) {
  for (const RuleInfo* rule : AllRules()) {
    EXPECT_TRUE(testing::AgreeWithContract(rule->effect, rule->severity)) << rule->code;
  }
}

TEST_F(CatalogTest, EveryRuleIsExplained) {
  for (const RuleInfo* rule : AllRules()) {
    for (const char* text : {rule->message, rule->why, rule->fix, rule->example}) {
      ASSERT_NE(text, nullptr) << rule->code;
      EXPECT_GT(absl::string_view(text).size(), 20u) << rule->code << ": " << text;
    }
    for (const char* text : {rule->why, rule->fix, rule->example}) {
      EXPECT_TRUE(absl::EndsWith(text, ".") || absl::EndsWith(text, ".)")) << rule->code << ": " << text;
    }
  }
}

TEST_F(CatalogTest, EachSocOnceWithItsSdksAndAliases) {
  const std::vector<v1::Target> targets = CatalogTargets(registry_, "qnn_htp").value();
  EXPECT_TRUE(std::is_sorted(targets.begin(), targets.end(),
                             [](const v1::Target& a, const v1::Target& b) { return a.name() < b.name(); }));
  const auto found =
      std::find_if(targets.begin(), targets.end(), [](const v1::Target& target) { return target.soc() == "SM8650"; });
  ASSERT_NE(found, targets.end());
  EXPECT_EQ(found->name(), "qnn_htp/SM8650");
  EXPECT_EQ(found->arch(), "V75");
  EXPECT_THAT(found->sdk_versions(), Contains("2.25.0"));
  EXPECT_THAT(found->sdk_versions(), Contains("2.13.0"));
  for (const v1::Target& target : targets) EXPECT_EQ(target.name().find('@'), std::string::npos);
  // The table of 2.25.0 does not answer for its arch, V81.
  const auto later = absl::c_find_if(targets, [](const v1::Target& target) { return target.soc() == "SM8850"; });
  ASSERT_NE(later, targets.end());
  EXPECT_THAT(later->sdk_versions(), Not(Contains("2.25.0")));
  EXPECT_THAT(later->sdk_versions(), Contains("2.51.0"));
  EXPECT_TRUE(std::any_of(targets.begin(), targets.end(), [](const v1::Target& t) { return t.aliases_size() > 0; }));
}

// What is listed is what a check takes.
TEST_F(CatalogTest, EveryListedVersionIsJudged) {
  for (const std::string& backend : registry_.names()) {
    const Module& module = **registry_.Get(backend);
    const std::vector<v1::Target> targets = CatalogTargets(registry_, backend).value();
    for (const v1::Target& target : targets) {
      EXPECT_GT(target.sdk_versions_size(), 0) << target.name();
      for (const std::string& sdk : target.sdk_versions()) {
        const absl::StatusOr<Target> resolved = module.resolve({backend, target.soc(), sdk});
        ASSERT_TRUE(resolved.ok()) << resolved.status();
        EXPECT_EQ(resolved->unknown_reason, "") << target.name() << "@" << sdk;
      }
    }
  }
}

TEST_F(CatalogTest, WhatTellsASocFromOthersOfItsArch) {
  const std::vector<v1::Target> targets = CatalogTargets(registry_, "qnn_htp").value();
  const auto of = [&](absl::string_view soc) {
    return *absl::c_find_if(targets, [&](const v1::Target& target) { return target.soc() == soc; });
  };
  EXPECT_EQ(of("SA8295").arch(), "V68");
  EXPECT_EQ(of("SA8295").kernels(), "V69");
  EXPECT_FALSE(of("SA8295").integers_only());
  EXPECT_EQ(of("QCS6490").kernels(), "");
  EXPECT_TRUE(of("QCS6490").integers_only());
  EXPECT_FALSE(of("SM8350").integers_only());
  const std::vector<v1::Target> others = CatalogTargets(registry_, "litert").value();
  for (const v1::Target& target : others) {
    EXPECT_EQ(target.kernels(), "") << target.name();
    EXPECT_FALSE(target.integers_only()) << target.name();
  }
}

TEST_F(CatalogTest, TargetsGoByTheirNamesInReports) {
  const auto name = [&](const char* text) { return NameInReports(text, registry_).value_or("none"); };
  EXPECT_EQ(name("qnn_htp/sm8650"), "qnn_htp/SM8650");
  EXPECT_EQ(name("qnn_htp/57@2.25"), "qnn_htp/SM8650@2.25");
  EXPECT_EQ(name("qnn_htp/v75"), "qnn_htp/V75");
  for (const char* unknown : {"qnn_htp/SM1", "no_such_backend/SM8650", "qnn_htp", "*", "qnn_htp/SM8650@x"}) {
    EXPECT_EQ(name(unknown), "none") << unknown;
  }
}

TEST_F(CatalogTest, ASocIsNoBackend) {
  EXPECT_THAT(std::string(registry_.Get("sm8650").status().message()), HasSubstr("as in qnn_htp/sm8650"));
  EXPECT_THAT(std::string(registry_.Get("sm86").status().message()), HasSubstr("no backend is named 'sm86'"));
}

// The contract's backends that nothing judges yet are known names: the answer is UNKNOWN, not that there is no such
// target.
TEST_F(CatalogTest, BackendsWithoutAModule) {
  for (const char* backend : {"cadence", "coreml", "cortex_m", "mediatek_neuropilot", "nxp_neutron", "openvino",
                              "qnn_cpu", "qnn_dsp", "qnn_gpu", "qnn_hta", "samsung_enn", "vgf", "vulkan"}) {
    EXPECT_EQ(registry_.Get(backend).status().code(), absl::StatusCode::kFailedPrecondition) << backend;
    EXPECT_EQ(CatalogTargets(registry_, backend).status().code(), absl::StatusCode::kFailedPrecondition) << backend;
    EXPECT_EQ(NameInReports(absl::StrCat(backend, "/x"), registry_), std::nullopt);
  }
}

TEST_F(CatalogTest, TablesGoByShortVersions) {
  EXPECT_EQ(FindTable(*database_, "qnn_htp@2.25")->sdk, "2.25.0");
  EXPECT_EQ(FindTable(*database_, "qnn_htp@2.25.0")->sdk, "2.25.0");
  EXPECT_EQ(FindTable(*database_, "qnn_htp")->sdk, "2.51.0");
  for (const char* none : {"qnn_htp@2.2", "qnn_htp@2.30", "", "@2.25", "qnn_ht"}) {
    EXPECT_EQ(FindTable(*database_, none).status().code(), absl::StatusCode::kNotFound) << none;
  }
  for (const char* malformed : {"qnn_htp@", "@", "qnn_htp/SM8650", "qnn_htp/SM8650@2.25"}) {
    EXPECT_EQ(FindTable(*database_, malformed).status().code(), absl::StatusCode::kInvalidArgument) << malformed;
  }
}

TEST_F(CatalogTest, ModulesThatAreUnknownOrDoNotLoad) {
  EXPECT_EQ(CatalogTargets(registry_, "no_such_backend").status().code(), absl::StatusCode::kNotFound);
  const testing::EmptyTables empty;
  ModuleRegistry registry(empty);
  RegisterBuiltinModules(registry);
  EXPECT_EQ(CatalogTargets(registry, "qnn_htp").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CatalogRule(registry, Rule("DT201")).backend(), "");
}

TEST_F(CatalogTest, RulesKnowTheirBackendAndStages) {
  const v1::Rule own = CatalogRule(registry_, Rule("FX203"));
  EXPECT_EQ(own.name(), "rules/FX203");
  EXPECT_EQ(own.backend(), "qnn_htp");
  EXPECT_THAT(own.stages(), ::testing::ElementsAre(v1::STAGE_CALIBRATED, v1::STAGE_CONVERTED));
  EXPECT_THAT(own.explanation(), HasSubstr("FX203"));
  const v1::Rule general = CatalogRule(registry_, Rule("NR001"));
  EXPECT_EQ(general.backend(), "");
  // A second module with the same rule: it belongs to neither alone.
  registry_.Register("other", [this](const db::TableSource&) -> absl::StatusOr<std::unique_ptr<Module>> {
    auto module = std::make_unique<Module>();
    module->rules = {&Rule("DT101")};
    return module;
  });
  EXPECT_EQ(CatalogRule(registry_, Rule("DT101")).backend(), "");
}

TEST_F(CatalogTest, AllRulesByCodeEachOnce) {
  const std::vector<const RuleInfo*> rules = AllRules();
  for (size_t i = 1; i < rules.size(); ++i) EXPECT_LT(std::string(rules[i - 1]->code), rules[i]->code);
  for (const char* code : {"NR001", "DT101", "DT201", "CV201"}) EXPECT_EQ(Rule(code).code, std::string(code));
}

}  // namespace
}  // namespace quantgate
