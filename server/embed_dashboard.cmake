# cmake -DOUTPUT=… -DFOLDER=… -P: the files of a folder as DashboardFiles().
file(GLOB files ${FOLDER}/*)
set(arrays "")
set(entries "")
set(index 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  get_filename_component(extension ${file} LAST_EXT)
  if(extension STREQUAL ".html")
    set(type "text/html; charset=utf-8")
  elseif(extension STREQUAL ".js")
    set(type "text/javascript; charset=utf-8")
  elseif(extension STREQUAL ".css")
    set(type "text/css; charset=utf-8")
  elseif(extension STREQUAL ".svg")
    set(type "image/svg+xml")
  else()
    continue()
  endif()
  file(READ ${file} hex HEX)
  file(SHA256 ${file} digest)
  string(LENGTH "${hex}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "const unsigned char kFile${index}[] = {${bytes}0};\n")
  string(APPEND entries
         "    {\"/${name}\", \"${type}\", \"\\\"${digest}\\\"\", {reinterpret_cast<const char*>(kFile${index}), ${size}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"server/dashboard_files.h\"

namespace quantgate::server {
namespace {

${arrays}
const DashboardFile kFiles[] = {
${entries}};

}  // namespace

absl::Span<const DashboardFile> DashboardFiles() { return kFiles; }

}  // namespace quantgate::server
")
