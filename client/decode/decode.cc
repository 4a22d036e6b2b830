#include "client/decode/decode.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/text.h"

namespace quantgate {
namespace {

constexpr size_t kMaxLineBytes = 16384;
constexpr char kCut[] = " [cut] ";  // in the place of what is beyond
constexpr size_t kMaxMessages = 1000;
constexpr size_t kMaxUnknown = 20;
constexpr int kMaxGroups = 8;
// Of the automaton that looks for all patterns at once. Where a line needs more, each pattern is asked by itself.
constexpr int64_t kAutomatonBytes = 64 << 20;

// An error code, decimal or hexadecimal, that stands alone, or is called one.
constexpr char kLoneCodePattern[] = R"((?i)^\W*(?:error|code)?\W*(0x[0-9a-f]+|\d+)\W*$)";
constexpr char kCodePattern[] =
    R"((?i)\b(?:error|err|code|status|result|failed|returned|retcode)\W+(?:(?:error|code|status|with|is|was|of|and|value)\W+){0,3}(0x[0-9a-f]+|\d+)\b)";
constexpr char kTroublePattern[] =
    R"((?i)error|fail|fatal|invalid|unsupported|not support|mismatch|incorrect|exception|abort|violat|refus|reject|cannot|could not|\bwarn|<E>|<W>)";
// Colors of a terminal.
constexpr char kEscapePattern[] = "\x1b\\[[0-9;]*[A-Za-z]";

using Groups = std::vector<std::string>;

absl::string_view View(const re2::StringPiece& piece) { return {piece.data(), piece.size()}; }

int64_t Number(absl::string_view text) {
  uint64_t number = 0;
  const bool hexadecimal = absl::StartsWithIgnoreCase(text, "0x");
  if (hexadecimal ? !absl::SimpleHexAtoi(text, &number) : !absl::SimpleAtoi(text, &number)) return -1;
  // Some versions of QNN set the upper half of a 64-bit code too; it says nothing. Of an address the lower one is
  // larger.
  constexpr uint64_t kLowerHalf = 0xffffffff;
  return static_cast<int64_t>(number & kLowerHalf);
}

// A pattern that matches wherever `pattern` does, with any number of repetitions for so and so many: counters of many
// patterns in one automaton multiply its states.
std::string Loosened(std::string pattern) {
  RE2::GlobalReplace(&pattern, R"(([^\\])\{\d+,\d*\}\??)", R"(\1*)");
  return pattern;
}

}  // namespace

struct Decoder::Impl {
  db::LogMessages messages;
  struct Pattern {
    const db::LogMessage* message;
    std::unique_ptr<RE2> pattern;
  };
  std::vector<Pattern> patterns;  // in the order in which they count
  std::unique_ptr<RE2::Set> any;  // the same ones, loosened
  struct Code {
    const db::LogMessage* message;
    std::unique_ptr<RE2> near;  // null: anywhere
  };
  std::map<int64_t, Code> codes;
  std::unique_ptr<RE2> lone_code, code, trouble, escape;

  std::string DataType(absl::string_view digits) const {
    uint64_t number = 0;
    if (!absl::SimpleHexAtoi(digits, &number)) return std::string(digits);
    const auto found = messages.data_types.find(static_cast<int64_t>(number));
    return found == messages.data_types.end() ? absl::StrCat("an unknown type (0x", digits, ")")
                                              : absl::StrFormat("%s (0x%s)", found->second, digits);
  }

  // "{1}" and "{1:dtype}" filled in, in one pass.
  std::string Fill(absl::string_view text, const Groups& groups) const {
    std::string out;
    while (!text.empty()) {
      const size_t open = text.find('{');
      absl::StrAppend(&out, text.substr(0, open));
      if (open == absl::string_view::npos) break;
      const size_t close = text.find('}', open);
      if (close == absl::string_view::npos) break;
      const std::vector<absl::string_view> parts = absl::StrSplit(text.substr(open + 1, close - open - 1), ':');
      size_t index = 0;
      absl::string_view group;
      if (absl::SimpleAtoi(parts[0], &index) && index >= 1 && index <= groups.size()) group = groups[index - 1];
      absl::StrAppend(&out, parts.size() > 1 && parts[1] == "dtype" ? DataType(group) : std::string(group));
      text.remove_prefix(close + 1);
    }
    return out;
  }

  // The groups that took part, in order: an alternative's count from one.
  static bool Search(const RE2& pattern, absl::string_view line, Groups& groups) {
    re2::StringPiece found[kMaxGroups + 1];
    const int count = std::min(pattern.NumberOfCapturingGroups(), kMaxGroups);
    if (!pattern.Match(re2::StringPiece(line.data(), line.size()), 0, line.size(), RE2::UNANCHORED, found, count + 1)) {
      return false;
    }
    groups.clear();
    for (int i = 1; i <= count; ++i) {
      if (found[i].data() != nullptr) groups.push_back(ToUtf8(View(found[i])));
    }
    return true;
  }

  // The first pattern that the line has; null: none.
  const Pattern* FirstOf(absl::string_view line, Groups& groups) const {
    std::vector<int> candidates;
    RE2::Set::ErrorInfo error;
    if (any->Match(re2::StringPiece(line.data(), line.size()), &candidates, &error)) {
      std::sort(candidates.begin(), candidates.end());
    } else if (error.kind != RE2::Set::kNoError) {
      candidates.resize(patterns.size());
      std::iota(candidates.begin(), candidates.end(), 0);
    }
    const auto first = std::find_if(candidates.begin(), candidates.end(),
                                    [&](int candidate) { return Search(*patterns[candidate].pattern, line, groups); });
    return first == candidates.end() ? nullptr : &patterns[*first];
  }

  const db::LogMessage* Find(absl::string_view line, Groups& groups) const {
    if (const Pattern* first = FirstOf(line, groups); first != nullptr) return first->message;
    const bool alone = Search(*lone_code, line, groups);
    if (!alone && !Search(*code, line, groups)) return nullptr;
    const auto known = codes.find(Number(groups[0]));
    if (known == codes.end()) return nullptr;
    Groups none;
    const RE2* near = known->second.near.get();
    return alone || near == nullptr || Search(*near, line, none) ? known->second.message : nullptr;
  }
};

Decoder::Decoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

absl::StatusOr<Decoder> Decoder::Create(db::LogMessages messages) {
  auto impl = std::make_unique<Impl>();
  impl->messages = std::move(messages);
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);  // lines are bytes
  options.set_log_errors(false);
  std::string bad;
  const auto compile = [&](const std::string& pattern) -> std::unique_ptr<RE2> {
    if (pattern.empty()) return nullptr;
    auto compiled = std::make_unique<RE2>(pattern, options);
    if (!compiled->ok()) bad = absl::StrCat("'", pattern, "': ", compiled->error());
    return compiled;
  };
  RE2::Options together = options;
  together.set_max_mem(kAutomatonBytes);
  impl->any = std::make_unique<RE2::Set>(together, RE2::UNANCHORED);
  for (const db::LogMessage& message : impl->messages.messages) {
    if (message.pattern.empty()) {
      impl->codes.emplace(message.code, Impl::Code{&message, compile(message.near)});
    } else {
      std::string wrong;
      if (impl->any->Add(Loosened(message.pattern), &wrong) < 0) bad = absl::StrCat("'", message.pattern, "': ", wrong);
      impl->patterns.push_back({&message, compile(message.pattern)});
    }
  }
  if (!bad.empty()) return absl::InternalError(bad);
  if (!impl->any->Compile()) return absl::InternalError("the patterns together need too much memory");
  impl->lone_code = compile(kLoneCodePattern);
  impl->code = compile(kCodePattern);
  impl->trouble = compile(kTroublePattern);
  impl->escape = compile(kEscapePattern);
  return Decoder(std::move(impl));
}

DecodedLog Decoder::Decode(absl::string_view text) const {
  LogDecoding decoding(*this);
  decoding.Add(text);
  return decoding.Finish();
}

void LogDecoding::Add(absl::string_view piece) {
  while (!piece.empty()) {
    const size_t end = std::min(piece.find_first_of("\r\n"), piece.size());
    absl::StrAppend(&line_, piece.substr(0, end));
    // What a tool has to say is at either end: where and what, or the reason after all that it was given.
    if (line_.size() > kMaxLineBytes) line_.replace(kMaxLineBytes / 2, line_.size() - kMaxLineBytes, kCut);
    if (end == piece.size()) return;
    EndLine();
    if (piece[end] == '\n') ++number_;
    piece.remove_prefix(end + 1);
  }
}

void LogDecoding::EndLine() {
  if (line_.empty()) return;
  const Decoder::Impl& impl = *decoder_.impl_;
  std::string line = std::exchange(line_, "");
  RE2::GlobalReplace(&line, *impl.escape, "");
  const absl::string_view trimmed = absl::StripAsciiWhitespace(line);
  if (trimmed.empty()) return;
  ++log_.lines;
  Groups groups;
  const db::LogMessage* message = impl.Find(trimmed, groups);
  if (message == nullptr) {
    last_ = {number_, ToUtf8(trimmed)};
    if (!Decoder::Impl::Search(*impl.trouble, trimmed, groups)) return;
    ++log_.unknown_count;
    if (log_.unknown.size() < kMaxUnknown) log_.unknown.push_back(last_);
    return;
  }
  const std::string means = impl.Fill(message->means, groups);
  const auto [found, is_new] = known_.try_emplace({message, means}, log_.messages.size());
  if (!is_new) {
    ++log_.messages[found->second].count;
  } else if (log_.messages.size() < kMaxMessages) {
    log_.messages.push_back({number_, 1, ToUtf8(trimmed), means, impl.Fill(message->change, groups), message});
  } else {
    known_.erase(found);
  }
}

DecodedLog LogDecoding::Finish() {
  EndLine();
  if (log_.lines == 1 && log_.messages.empty() && log_.unknown.empty()) {
    log_.unknown.push_back(last_);
    log_.unknown_count = 1;
  }
  return std::move(log_);
}

}  // namespace quantgate
