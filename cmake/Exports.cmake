# What libcafe exports: the functions of its public headers under CAFE_0.1, and what libcafe-lab uses of its inside,
# marked by CAFE_LAB in the headers of src/, under a version that only the libcafe-lab of the same release asks for.
#
# Included, it adds the rule; run as a script (cmake -P) it writes the linker's version script.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*.h)
    set(CAFE_EXPORTS ${CMAKE_BINARY_DIR}/cafe.map)
    add_custom_command(OUTPUT ${CAFE_EXPORTS}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUTPUT=${CAFE_EXPORTS}
                -P ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake
        DEPENDS ${headers} ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake
        VERBATIM)
    add_custom_target(cafe_exports DEPENDS ${CAFE_EXPORTS})
    return()
endif()

cmake_minimum_required(VERSION 3.20)
file(GLOB headers ${SOURCE}/src/*/*.h)
set(names "")
foreach(header ${headers})
    file(READ ${header} text)
    string(REGEX MATCHALL "CAFE_LAB [^(;]*[ *](cafe_[a-z0-9_]+)[(;]" marked "${text}")
    list(TRANSFORM marked REPLACE ".*[ *](cafe_[a-z0-9_]+)[(;]?$" "\\1")
    list(APPEND names ${marked})
endforeach()
list(SORT names)
list(JOIN names ";\n        " names)
# a name on its own goes before a pattern, in every linker
file(WRITE ${OUTPUT} "CAFE_0.1 {
    global: cafe_*;
    local: *;
};
CAFE_PRIVATE_${VERSION} {
    global: ${names};
};
")
