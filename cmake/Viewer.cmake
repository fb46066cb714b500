# The interactive page of viewer/ as an array of the library: style and modules put into the page,
# the page's policy told their hashes. No tool but CMake is needed.
#
# Included, it adds the rule; run as a script (cmake -P) it does the work.
#
# The modules become one script, each a function of its own called in the order of the list below:
#     import { a, b } from './x.js';      const { a, b } = module_x;
#     export function a() {}              function a() {}   and the function returns { a, ... }
# That is what a browser does with modules whose imports form no cycle and whose exports never change,
# and both are checked: an import of a module that comes later, and any other form of import or
# export, is an error.
set(CAFE_VIEWER_MODULES data palette bus pen camera grid points naming axes density overlay lasso colours layers links
    about facts before nearest card changes dimensions tree charts summary search exporter table theme scatter controls main)

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(sources page.html style.css)
    foreach(module ${CAFE_VIEWER_MODULES})
        list(APPEND sources ${module}.js)
    endforeach()
    list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/viewer/)
    set(template ${CMAKE_BINARY_DIR}/viewer/page_template.c)
    add_custom_command(OUTPUT ${template}
        COMMAND ${CMAKE_COMMAND} -DVIEWER=${CMAKE_SOURCE_DIR}/viewer -DOUTPUT=${template}
                -P ${CMAKE_SOURCE_DIR}/cmake/Viewer.cmake
        DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/cmake/Viewer.cmake
        VERBATIM)
    target_sources(cafe_lab_objects PRIVATE ${template})
    return()
endif()

cmake_minimum_required(VERSION 3.20)

# The policy wants base64 of the digest; CMake gives its hexadecimal digits.
function(base64_of_hex hex result)
    set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    set(text "")
    set(rest "${hex}00") # 66 digits: 11 times 3 bytes, of which the last is padding
    while(NOT rest STREQUAL "")
        string(SUBSTRING "${rest}" 0 6 six)
        string(SUBSTRING "${rest}" 6 -1 rest)
        math(EXPR three "0x${six}")
        foreach(shift 18 12 6 0)
            math(EXPR at "(${three} >> ${shift}) & 63")
            string(SUBSTRING "${digits}" ${at} 1 digit)
            string(APPEND text "${digit}")
        endforeach()
    endwhile()
    string(REGEX REPLACE "A$" "=" text "${text}")
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(hash_of text result)
    string(SHA256 hex "${text}")
    base64_of_hex(${hex} digest)
    set(${result} "'sha256-${digest}'" PARENT_SCOPE)
endfunction()

# One module as a function that returns what it exports.
function(wrap_module name result)
    file(READ ${VIEWER}/${name}.js text)
    set(text "\n${text}")
    string(REGEX MATCHALL "\nimport [^\n;]*" imports "${text}")
    foreach(line ${imports})
        if(line MATCHES "from '\\./([a-z]+)\\.js'" AND NOT CMAKE_MATCH_1 IN_LIST wrapped)
            message(FATAL_ERROR "viewer/${name}.js: ${CMAKE_MATCH_1}.js comes later in the list")
        endif()
    endforeach()
    string(REGEX REPLACE "\nimport {([^}\n]*)} from '\\./([a-z]+)\\.js'" "\nconst {\\1} = module_\\2"
           text "${text}")
    set(kinds "(async function|function|const|class)")
    string(REGEX MATCHALL "\nexport ${kinds} [A-Za-z0-9_]+" exports "${text}")
    list(TRANSFORM exports REPLACE "\nexport ${kinds} " "")
    list(JOIN exports ", " names)
    string(REGEX REPLACE "\nexport ${kinds} " "\n\\1 " text "${text}")
    if(text MATCHES "\n(import|export)[ {][^\n]*")
        message(FATAL_ERROR "viewer/${name}.js: cannot put this into one page:${CMAKE_MATCH_0}")
    endif()
    set(${result} "\nconst module_${name} = (() => {${text}return { ${names} };\n})();\n"
        PARENT_SCOPE)
endfunction()

set(script "")
set(wrapped "")
foreach(module ${CAFE_VIEWER_MODULES})
    wrap_module(${module} text)
    string(APPEND script "${text}")
    list(APPEND wrapped ${module})
endforeach()
file(READ ${VIEWER}/style.css style)
file(READ ${VIEWER}/page.html page)
set(style "\n${style}")
# Every page pays for them: lines of comments and indentation stay in viewer/.
string(REGEX REPLACE "\n *//[^\n]*" "" script "${script}")
string(REGEX REPLACE "\n +" "\n" script "${script}")
string(REGEX REPLACE "\n +" "\n" style "${style}")
hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
foreach(mark "<!--cafe:title-->" "<!--cafe:data-->")
    string(FIND "${page}" "${mark}" at)
    if(at LESS 0)
        message(FATAL_ERROR "viewer/page.html: lacks ${mark}")
    endif()
endforeach()
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")

file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html bytes HEX)
file(SIZE ${OUTPUT}.html size)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}") # lines a compiler's message can name
file(WRITE ${OUTPUT} "/* Made by cmake/Viewer.cmake from viewer/. */
#include \"draw/view.h\"

const char cafe_view_template[] = {
${bytes}0};
const int64_t cafe_view_template_size = ${size};
")
