# cmake -DNPM=… -DSOURCE=… -DWORK=… -P: installs the packages in WORK and bundles the page into WORK/dist. Where the
# packages cannot be had (no network), the page is the one that says so: the server does not depend on it.
file(MAKE_DIRECTORY ${WORK})
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(installed "")
if(EXISTS ${WORK}/installed)
  file(READ ${WORK}/installed installed)
endif()
if(NOT installed STREQUAL wanted)
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${WORK})
  # The lock file pins every byte; nothing of the packages is run while they are installed.
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --ignore-scripts --loglevel=error
                  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed TIMEOUT 600)
  if(failed)
    message(WARNING "The dashboard's packages cannot be installed: this build is without it.")
    file(REMOVE_RECURSE ${WORK}/dist)
    file(COPY ${SOURCE}/placeholder/index.html DESTINATION ${WORK}/dist)
    return()
  endif()
  file(WRITE ${WORK}/installed ${wanted})
endif()
execute_process(COMMAND node ${SOURCE}/build.mjs ${WORK}/node_modules ${WORK}/dist COMMAND_ERROR_IS_FATAL ANY)
