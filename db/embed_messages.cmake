# cmake -DOUTPUT=… -DFILES=a;b -P: texts as string literals, and the function that reads them all.
set(calls "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND calls "  if (absl::Status status = ParseLogMessages(\"${name}\", R\"yaml(${text})yaml\", all); !status.ok()) return status;\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"db/log_messages.h\"

namespace quantgate::db {

absl::StatusOr<LogMessages> BuiltinLogMessages() {
  LogMessages all;
${calls}  return all;
}

}  // namespace quantgate::db
")
