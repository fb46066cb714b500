# The outlines of letters, lab/draw/letters.bin, as an array of the library.
#
# Included, it adds the rule; run as a script (cmake -P) it does the work.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(letters ${CMAKE_SOURCE_DIR}/lab/draw/letters.bin)
    set(array ${CMAKE_BINARY_DIR}/viewer/letters.c)
    add_custom_command(OUTPUT ${array}
        COMMAND ${CMAKE_COMMAND} -DLETTERS=${letters} -DOUTPUT=${array} -P ${CMAKE_SOURCE_DIR}/cmake/Letters.cmake
        DEPENDS ${letters} ${CMAKE_SOURCE_DIR}/cmake/Letters.cmake
        VERBATIM)
    target_sources(cafe_lab_objects PRIVATE ${array})
    return()
endif()

file(READ ${LETTERS} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}") # lines a compiler's message can name
file(WRITE ${OUTPUT} "/* Made by cmake/Letters.cmake from lab/draw/letters.bin. */
#include \"draw/letters.h\"

const uint8_t cafe_letters[] = {
${bytes}};
")
