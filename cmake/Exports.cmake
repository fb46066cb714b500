# What the libraries export: the functions of the public headers under CAFE_0.1 and CAFE_LAB_0.1, and under
# CAFE_PRIVATE_x.y.z, for this release alone, what libcafe-lab uses of the inside of libcafe (marked by CAFE_LAB in the
# headers of src/) and what the tool and Python use besides (marked by CAFE_PRIVATE in include/cafe-private).
#
# Included, it adds the rule; run as a script (cmake -P) it writes the linkers' version scripts.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*.h ${CMAKE_SOURCE_DIR}/include/cafe-private/*.h)
    set(CAFE_EXPORTS ${CMAKE_BINARY_DIR}/cafe.map)
    set(CAFE_LAB_EXPORTS ${CMAKE_BINARY_DIR}/cafe-lab.map)
    add_custom_command(OUTPUT ${CAFE_EXPORTS} ${CAFE_LAB_EXPORTS}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUTPUT=${CAFE_EXPORTS}
                -DLAB_OUTPUT=${CAFE_LAB_EXPORTS} -P ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake
        DEPENDS ${headers} ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake
        VERBATIM)
    add_custom_target(cafe_exports DEPENDS ${CAFE_EXPORTS} ${CAFE_LAB_EXPORTS})
    return()
endif()

cmake_minimum_required(VERSION 3.20)

# version_script(OUTPUT VERSION HEADER...): writes the script, with the marked names of the headers as private ones.
function(version_script output version)
    set(names "")
    foreach(header ${ARGN})
        file(READ ${header} text)
        string(REGEX MATCHALL "CAFE_(LAB|PRIVATE) [^(;]*[ *](cafe_[a-z0-9_]+)[(;]" marked "${text}")
        list(TRANSFORM marked REPLACE ".*[ *](cafe_[a-z0-9_]+)[(;]?$" "\\1")
        list(APPEND names ${marked})
    endforeach()
    list(SORT names)
    list(JOIN names ";\n        " names)
    # a name on its own goes before a pattern, in every linker
    file(WRITE ${output} "${version} {
    global: cafe_*;
    local: *;
};
CAFE_PRIVATE_${VERSION} {
    global: ${names};
};
")
endfunction()

file(GLOB headers ${SOURCE}/src/*/*.h ${SOURCE}/include/cafe-private/*.h)
set(lab ${SOURCE}/include/cafe-private/about.h ${SOURCE}/include/cafe-private/results.h)
list(REMOVE_ITEM headers ${lab})
version_script(${OUTPUT} CAFE_0.1 ${headers})
version_script(${LAB_OUTPUT} CAFE_LAB_0.1 ${lab})
