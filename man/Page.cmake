# One manual page: the line @OPTIONS@ of SOURCE becomes what `cafe help --man [COMMAND]` prints, then
# scdoc makes OUTPUT. TOOL, SCDOC, SOURCE, OUTPUT and VERSION come with -D.
cmake_minimum_required(VERSION 3.20)

get_filename_component(page ${SOURCE} NAME)
string(REGEX REPLACE "^cafe-?([a-z]*)\\.1\\.scd$" "\\1" command ${page})

execute_process(COMMAND ${TOOL} help --man ${command} OUTPUT_VARIABLE options
                RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "cafe help --man ${command}: ${failed}")
endif()

file(READ ${SOURCE} text)
string(STRIP "${options}" options)
string(REPLACE "@OPTIONS@" "${options}" text "${text}")
if(text MATCHES "@EXIT_CODES@")
    execute_process(COMMAND ${TOOL} help --man exit-codes OUTPUT_VARIABLE codes)
    string(STRIP "${codes}" codes)
    string(REPLACE "@EXIT_CODES@" "${codes}" text "${text}")
endif()
string(REPLACE "@VERSION@" "${VERSION}" text "${text}")
file(WRITE ${OUTPUT}.scd "${text}")

execute_process(COMMAND ${SCDOC} INPUT_FILE ${OUTPUT}.scd OUTPUT_FILE ${OUTPUT}
                RESULT_VARIABLE failed)
if(failed)
    file(REMOVE ${OUTPUT})
    message(FATAL_ERROR "scdoc ${page}: ${failed}")
endif()
