#include "db/reports/filter.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db {
namespace {

constexpr size_t kMaxFilterBytes = 2048;
constexpr size_t kMaxConditions = 16;

struct FieldName {
  const char* name;
  Condition::Field field;
};
constexpr FieldName kFields[] = {
    {"model.path", Condition::kModelPath},
    {"model.sha256", Condition::kModelSha256},
    {"graph_digest", Condition::kGraphDigest},
    {"target", Condition::kTarget},
    {"verdict", Condition::kVerdict},
    {"code", Condition::kCode},
    {"labels.repository", Condition::kRepository},
    {"labels.branch", Condition::kBranch},
    {"labels.revision", Condition::kRevision},
    {"labels.pull_request", Condition::kPullRequest},
    {"create_time", Condition::kCreateTime},
};

// Longer spellings first: "<=" before "<".
struct OperatorName {
  const char* name;
  Condition::Operator op;
};
constexpr OperatorName kOperators[] = {
    {"!=", Condition::kNotEqual}, {"<=", Condition::kLessEqual}, {">=", Condition::kGreaterEqual},
    {"=", Condition::kEqual},     {"<", Condition::kLess},       {">", Condition::kGreater},
};

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || absl::StrContains("_./@:+-", c); }

class Parser {
 public:
  // The value of a condition on the target, and where in the text it is.
  struct Target {
    size_t begin = 0;
    size_t end = 0;
    std::string text;
  };

  explicit Parser(absl::string_view text) : text_(text) {}

  // Of what was parsed.
  const std::vector<Target>& targets() const { return targets_; }

  absl::StatusOr<std::vector<Condition>> Parse() {
    std::vector<Condition> conditions;
    SkipBlanks();
    if (AtEnd()) return conditions;
    while (true) {
      if (conditions.size() == kMaxConditions) return Error(absl::StrCat("more than ", kMaxConditions, " conditions"));
      absl::StatusOr<Condition> condition = ParseCondition();
      if (!condition.ok()) return condition.status();
      conditions.push_back(*std::move(condition));
      SkipBlanks();
      if (AtEnd()) return conditions;
      const size_t start = at_;
      const absl::string_view word = Word();
      if (word == "AND") continue;
      at_ = start;
      if (word == "OR" || word == "NOT")
        return Error(absl::StrCat(word, " is not supported; join conditions with AND"));
      // What stands against the value would be part of it.
      const bool is_apart = absl::ascii_isspace(text_[start - 1]) || text_[start - 1] == '"';
      return Error(is_apart || !word.empty() ? "expected AND or the end"
                                             : "a value with this character needs double quotes");
    }
  }

 private:
  absl::StatusOr<Condition> ParseCondition() {
    Condition condition;
    SkipBlanks();
    const size_t start = at_;
    const absl::string_view name = Word();
    const FieldName* field = nullptr;
    for (const FieldName& candidate : kFields) {
      if (name == candidate.name) field = &candidate;
    }
    if (field == nullptr) {
      at_ = start;
      return Error(absl::StrCat(name.empty() ? "expected a field" : absl::StrCat("unknown field '", name, "'"),
                                "; fields are model.path, model.sha256, graph_digest, target, verdict, code, "
                                "labels.repository, labels.branch, labels.revision, labels.pull_request, create_time"));
    }
    condition.field = field->field;

    SkipBlanks();
    const OperatorName* op = nullptr;
    for (const OperatorName& candidate : kOperators) {
      if (op == nullptr && absl::StartsWith(text_.substr(at_), candidate.name)) op = &candidate;
    }
    if (op == nullptr) return Error(absl::StrCat("expected an operator after ", name));
    condition.op = op->op;
    if (condition.field != Condition::kCreateTime && op->op != Condition::kEqual && op->op != Condition::kNotEqual) {
      return Error(absl::StrCat("operator ", op->name, " is for create_time only; ", name, " takes = and !="));
    }
    at_ += absl::string_view(op->name).size();

    SkipBlanks();
    const size_t value_at = at_;
    absl::StatusOr<std::string> value = Value();
    if (!value.ok()) return value.status();
    const size_t after = at_;
    at_ = value_at;  // errors about the value point at it
    if (condition.field == Condition::kVerdict) {
      v1::Result::Verdict verdict;
      if (!v1::Result::Verdict_Parse(*value, &verdict) || verdict == v1::Result::VERDICT_UNSPECIFIED) {
        return Error(absl::StrCat("unknown verdict '", *value,
                                  "'; verdicts are ACCEPTED, ACCEPTED_WITH_WARNINGS, REJECTED, UNKNOWN"));
      }
      condition.number = verdict;
    } else if (condition.field == Condition::kCreateTime) {
      absl::Time time;
      std::string reason;
      if (!absl::ParseTime(absl::RFC3339_full, *value, &time, &reason)) {
        return Error(absl::StrCat("'", *value, "' is not a time such as \"2027-01-31T12:00:00Z\""));
      }
      condition.number = absl::ToUnixNanos(time);
    } else {
      condition.text = *std::move(value);
    }
    if (condition.field == Condition::kTarget) targets_.push_back({value_at, after, condition.text});
    at_ = after;
    return condition;
  }

  absl::StatusOr<std::string> Value() {
    if (AtEnd()) return Error("expected a value");
    if (text_[at_] != '"') {
      const absl::string_view word = Word();
      if (word.empty()) return Error("expected a value: a word or a string in double quotes");
      return std::string(word);
    }
    const size_t start = at_++;
    std::string value;
    while (!AtEnd() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        ++at_;
        if (AtEnd() || (text_[at_] != '"' && text_[at_] != '\\')) return Error("only \\\" and \\\\ can be escaped");
      }
      value += text_[at_++];
    }
    if (AtEnd()) {
      at_ = start;
      return Error("the string has no closing quote");
    }
    ++at_;
    return value;
  }

  absl::string_view Word() {
    const size_t start = at_;
    while (!AtEnd() && IsWordCharacter(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void SkipBlanks() {
    while (!AtEnd() && absl::ascii_isspace(text_[at_])) ++at_;
  }

  bool AtEnd() const { return at_ == text_.size(); }

  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(absl::StrCat("filter: at character ", at_ + 1, ": ", message));
  }

  absl::string_view text_;
  size_t at_ = 0;
  std::vector<Target> targets_;
};

}  // namespace

absl::StatusOr<std::vector<Condition>> ParseReportFilter(absl::string_view filter) {
  if (filter.size() > kMaxFilterBytes) {
    return absl::InvalidArgumentError(absl::StrCat("filter: longer than ", kMaxFilterBytes, " bytes"));
  }
  return Parser(filter).Parse();
}

std::string RenameTargets(absl::string_view filter,
                          const std::function<std::optional<std::string>(const std::string&)>& name_of) {
  Parser parser(filter);
  if (filter.size() > kMaxFilterBytes || !parser.Parse().ok()) return std::string(filter);
  std::string renamed;
  size_t copied = 0;
  for (const Parser::Target& target : parser.targets()) {
    const std::optional<std::string> name = name_of(target.text);
    if (!name.has_value()) continue;
    const std::string escaped = absl::StrReplaceAll(*name, {{"\\", "\\\\"}, {"\"", "\\\""}});
    absl::StrAppend(&renamed, filter.substr(copied, target.begin - copied), "\"", escaped, "\"");
    copied = target.end;
  }
  return absl::StrCat(renamed, filter.substr(copied));
}

}  // namespace quantgate::db
