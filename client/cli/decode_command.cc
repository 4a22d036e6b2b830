#include <sys/stat.h>

#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/commands.h"
#include "client/cli/overwrite.h"
#include "client/decode/decode.h"
#include "client/decode/json.h"
#include "client/report/layout.h"
#include "client/text_file.h"

namespace quantgate {
namespace {

// A line of a log may begin with a path too, and goes on behind a colon.
bool LooksLikePath(absl::string_view argument) {
  const auto ends = [&](absl::string_view ending) { return absl::EndsWithIgnoreCase(argument, ending); };
  const auto begins = [&](absl::string_view begin) { return absl::StartsWith(argument, begin); };
  const bool has_drive = argument.size() > 2 && absl::ascii_isalpha(argument[0]) &&
                         (argument.substr(1, 2) == ":\\" || argument.substr(1, 2) == ":/");
  if (ends(".log") || ends(".txt")) return true;
  return (has_drive || begins("/") || begins("./") || begins("../") || begins("~")) &&
         !absl::StrContains(argument, ": ");
}

// The text itself: a code, words, or one word that means something. A file that is there goes before, and so does the
// name of one that is not, where it says nothing else.
bool IsText(const std::string& argument, const Decoder& decoder) {
  struct stat facts;
  if (argument == "-" || ::stat(argument.c_str(), &facts) == 0) return false;
  if (LooksLikePath(argument) && decoder.Decode(argument).messages.empty()) return false;
  const size_t sign = argument[0] == '-' ? 1 : 0;
  const bool number = argument.find_first_not_of("0123456789abcdefABCDEFxX", sign) == std::string::npos;
  return number || absl::StrContains(argument, ' ') || !decoder.Decode(argument).messages.empty();
}

std::string LogText(const DecodedLog& log, const Style& style) {
  std::string text;
  const auto line = [&](absl::string_view label, const std::string& words) {
    AppendWrapped(text, absl::StrCat("  ", label, std::string(8 - label.size(), ' ')), words, style.width);
  };
  for (const DecodedMessage& one : log.messages) {
    AppendWrapped(text, absl::StrCat("line ", one.line, ": "), Paint(style, Ink::kBold, Printable(one.text)),
                  style.width, 2);
    if (one.count > 1) line("", absl::StrCat("and ", Count(one.count - 1, "line"), " more that mean the same"));
    line("tool", one.message->tool);
    line("means", Printable(one.means));
    const std::vector<std::string>& rules = one.message->rules;
    line("rules", rules.empty() ? "no rule of this version finds it before"
                                : absl::StrJoin(rules, ", ", [](std::string* out, const std::string& code) {
                                    absl::StrAppend(out, code, " ", DecodedRuleName(code));
                                  }));
    line("change", Printable(one.change));
    line("source", Printable(one.message->source));
    text += "\n";
  }
  for (const UnknownLine& unknown : log.unknown) {
    AppendWrapped(text, absl::StrCat("line ", unknown.line, ": unknown: "), Printable(unknown.text), style.width, 2);
  }
  const int64_t more = log.unknown_count - static_cast<int64_t>(log.unknown.size());
  if (more > 0) absl::StrAppend(&text, "and ", Count(more, "line"), " more that are unknown\n");
  return absl::StrCat(text, Count(log.lines, "line"), ", ", Count(log.messages.size(), "known message"), ", ",
                      log.unknown_count, " unknown\n");
}

absl::Status DecodeFile(const std::string& path, LogDecoding& decoding) {
  bool at_start = true;
  return ReadPieces(path, [&](absl::string_view piece) {
    if (std::exchange(at_start, false) &&
        (absl::StartsWith(piece, "\xff\xfe") || absl::StartsWith(piece, "\xfe\xff"))) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": is UTF-16, as older PowerShells redirect: save it as UTF-8 (Out-File -Encoding utf8)"));
    }
    decoding.Add(piece);
    return absl::OkStatus();
  });
}

int RunDecode(const std::string& argument, const OutputFlags& flags) {
  if (absl::Status status = CheckOverwrites("--output", flags.output, {{argument, "the log"}}); !status.ok())
    return Fail(status);
  absl::StatusOr<db::LogMessages> messages = db::BuiltinLogMessages();
  if (!messages.ok()) return Fail(absl::InternalError(messages.status().message()));
  const absl::StatusOr<Decoder> decoder = Decoder::Create(*std::move(messages));
  if (!decoder.ok()) return Fail(decoder.status());
  LogDecoding decoding(*decoder);
  if (IsText(argument, *decoder)) {
    decoding.Add(argument);
  } else if (absl::Status status = DecodeFile(argument, decoding); !status.ok()) {
    return Fail(status);
  }
  const DecodedLog log = decoding.Finish();
  if (log.lines == 0) return Fail(absl::InvalidArgumentError(absl::StrCat(argument, ": nothing to decode: no text")));
  return Finish(flags, flags.format == "json" ? LogJson(log) : LogText(log, OutputStyle(flags)));
}

}  // namespace

void AddDecodeCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("decode", "Say what a vendor's log or error code means, and what to change");
  auto argument = std::make_shared<std::string>("-");
  command->add_option("FILE", *argument,
                      "Log of QNN, ExecuTorch, ONNX Runtime, TFLite, Vela, …, of any length; - for standard input; or "
                      "the code or line itself");
  const auto flags = AddOutputFlags(*command, {"format", "output"});
  command->footer(
      "Examples:\n"
      "  quantgate decode export.log\n"
      "  python export.py 2>&1 | quantgate decode\n"
      "  quantgate decode 3110\n"
      "  quantgate decode '0x408 != 0x232' --format json");
  command->callback([argument, flags, run] { *run = [argument, flags] { return RunDecode(*argument, *flags); }; });
}

}  // namespace quantgate
