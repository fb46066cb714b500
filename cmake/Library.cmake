# The two libraries, libcafe (src/) and libcafe-lab (lab/), which stands on it: one set of objects each, a shared and a
# static form. The numeric kernels are compiled once per instruction set from one source and chosen at run time.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -g")
if(EMSCRIPTEN)
    set(CMAKE_C_FLAGS_RELEASE "-O3") # what is downloaded has no use for symbols
    add_compile_options(-msimd128)
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
# gzip and zip: Intel's ISA-L, or zlib where that is missing.
find_path(ISAL_INCLUDE isa-l.h)
find_library(ISAL_LIBRARY isal)
set(deflate zlib)
if(ISAL_INCLUDE AND ISAL_LIBRARY)
    set(deflate isal)
endif()
set(CAFE_DEFLATE ${deflate} CACHE STRING "What packs and unpacks gzip data: isal or zlib")
if(CAFE_DEFLATE STREQUAL "isal")
    set(CAFE_DEFLATE_INCLUDE ${ISAL_INCLUDE})
    set(CAFE_DEFLATE_LIBRARY ${ISAL_LIBRARY})
    set(CAFE_PC_PRIVATE "-lisal")
else()
    find_package(ZLIB REQUIRED)
    set(CAFE_DEFLATE_INCLUDE ${ZLIB_INCLUDE_DIRS})
    set(CAFE_DEFLATE_LIBRARY ${ZLIB_LIBRARIES})
    set(CAFE_PC_PRIVATE "-lz")
    list(APPEND CAFE_MORE_DEFINITIONS CAFE_ZLIB=1)
endif()
# XML formats and further compressions; a build without them says so where a file needs one.
option(CAFE_EXTRAS "use expat, zstd and lzma where they are found" ON)
foreach(library EXPAT:expat:expat.h ZSTD:zstd:zstd.h LZMA:lzma:lzma.h)
    string(REPLACE ":" ";" parts ${library})
    list(GET parts 0 LIBRARY)
    list(GET parts 1 name)
    list(GET parts 2 header)
    find_path(${LIBRARY}_INCLUDE ${header})
    find_library(${LIBRARY}_LIBRARY ${name})
    if(CAFE_EXTRAS AND ${LIBRARY}_INCLUDE AND ${LIBRARY}_LIBRARY)
        list(APPEND CAFE_MORE_INCLUDES ${${LIBRARY}_INCLUDE})
        list(APPEND CAFE_MORE_LIBRARIES ${${LIBRARY}_LIBRARY})
        list(APPEND CAFE_MORE_DEFINITIONS CAFE_${LIBRARY}=1)
        string(APPEND CAFE_PC_PRIVATE " -l${name}")
    endif()
endforeach()

# No fused multiply-add across expressions: the kernels then give the same bits for every
# instruction set.
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
                    -Wpointer-arith -Wcast-qual -Wvla -ffp-contract=off -Werror=implicit-function-declaration
                    "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
if(CAFE_WERROR)
    add_compile_options(-Werror)
endif()
if(CAFE_SANITIZE)
    add_compile_options("-fsanitize=${CAFE_SANITIZE}" -fno-omit-frame-pointer
                        -fno-sanitize-recover=all)
    add_link_options("-fsanitize=${CAFE_SANITIZE}")
endif()
include(cmake/Hardening.cmake)

# Calls to the system: src/os has a form of them for Linux, for any POSIX system and for WebAssembly.
if(EMSCRIPTEN)
    set(system browser)
elseif(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(system linux)
else()
    set(system posix)
endif()
set(CAFE_OS ${system} CACHE STRING "Form of the calls to the system: linux, posix or browser")
set(CAFE_OS_linux linux linux_memory loading)
set(CAFE_OS_posix posix posix_memory loading)
set(CAFE_OS_browser posix browser_memory browser_progress no_loading)
if(NOT DEFINED CAFE_OS_${CAFE_OS})
    message(FATAL_ERROR "CAFE_OS is linux, posix or browser, not '${CAFE_OS}'")
endif()
set(CAFE_OS_SOURCES calls clock threads weak_forms ${CAFE_OS_${CAFE_OS}})
list(TRANSFORM CAFE_OS_SOURCES REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/src/os/\\1.c")
add_compile_definitions(_XOPEN_SOURCE=700) # POSIX, and no call beyond it outside src/os

file(GLOB CAFE_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*.c)
list(FILTER CAFE_SOURCES EXCLUDE REGEX "/src/os/")
list(APPEND CAFE_SOURCES ${CAFE_OS_SOURCES})
list(FILTER CAFE_SOURCES EXCLUDE REGEX "/src/kernels/(row_kernels|products|eight_columns|edge_hashes)\\.c$")

add_library(cafe_objects OBJECT ${CAFE_SOURCES})
target_include_directories(cafe_objects PUBLIC ${CMAKE_SOURCE_DIR}/include
                           PRIVATE ${CMAKE_SOURCE_DIR}/src ${CAFE_DEFLATE_INCLUDE} ${CAFE_MORE_INCLUDES})
target_compile_definitions(cafe_objects PRIVATE CAFE_INSIDE_CORE=1 ${CAFE_MORE_DEFINITIONS})
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/engine/engine_folders.c ${CMAKE_SOURCE_DIR}/src/engine/engine_library.c
                            PROPERTIES COMPILE_DEFINITIONS "CAFE_LIBRARY_FOLDER=\"${CMAKE_INSTALL_LIBDIR}\"")
set(build "${CMAKE_BUILD_TYPE}")
if(CAFE_SANITIZE)
    string(APPEND build ", sanitizers ${CAFE_SANITIZE}")
endif()
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/report/build_info.c PROPERTIES COMPILE_DEFINITIONS
                            "CAFE_BUILD=\"${build}\"")
target_link_libraries(cafe_objects PRIVATE Threads::Threads)

file(GLOB CAFE_LAB_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lab/*/*.c)
add_library(cafe_lab_objects OBJECT ${CAFE_LAB_SOURCES})
target_include_directories(cafe_lab_objects PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/lab)
target_compile_definitions(cafe_lab_objects PRIVATE CAFE_INSIDE_LAB=1)

# published.tsv becomes rows of an array of lab/evaluate/paper.c: table, set, method, figures
set(published ${CMAKE_SOURCE_DIR}/lab/evaluate/published.tsv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${published})
file(STRINGS ${published} lines REGEX "^[^#]")
set(rows "")
foreach(line IN LISTS lines)
    string(REGEX REPLACE "^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$" "ROW(\"\\1\", \"\\2\", \"\\3\", \\4),\n" row "${line}")
    string(REPLACE "\t" ", " row "${row}")
    string(APPEND rows "${row}")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/evaluate/published.inc CONTENT "${rows}" @ONLY)
target_include_directories(cafe_lab_objects PRIVATE ${CMAKE_BINARY_DIR}/generated)

# cafe_kernels(NAME PRODUCTS OPTION ...): src/kernels/row_kernels.c, eight_columns.c and edge_hashes.c with these options; its products are
# those of PRODUCTS, which is compiled here too where it is NAME.
set(CAFE_KERNEL_OBJECTS "")
function(cafe_kernels name products)
    set(sources ${CMAKE_SOURCE_DIR}/src/kernels/row_kernels.c ${CMAKE_SOURCE_DIR}/src/kernels/eight_columns.c
        ${CMAKE_SOURCE_DIR}/src/kernels/edge_hashes.c)
    if(name STREQUAL products)
        list(APPEND sources ${CMAKE_SOURCE_DIR}/src/kernels/products.c)
    endif()
    add_library(cafe_kernels_${name} OBJECT ${sources})
    target_include_directories(cafe_kernels_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include
                               ${CMAKE_SOURCE_DIR}/src)
    target_compile_definitions(cafe_kernels_${name} PRIVATE CAFE_ISA=${name}
                               CAFE_PRODUCTS=${products})
    # vectors wider than the machine's are only passed between inlined functions
    target_compile_options(cafe_kernels_${name} PRIVATE -Wno-psabi ${ARGN})
    set(CAFE_KERNEL_OBJECTS ${CAFE_KERNEL_OBJECTS} $<TARGET_OBJECTS:cafe_kernels_${name}>
        PARENT_SCOPE)
endfunction()
cafe_kernels(plain plain)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    cafe_kernels(avx2 avx2 -mavx2 -mf16c -mprfchw)
    cafe_kernels(avx512 avx2 -mavx512f -mavx512vl -mavx512dq -mf16c -mprfchw -mprefer-vector-width=512)
    target_compile_definitions(cafe_objects PRIVATE CAFE_X86=1)
    target_compile_definitions(cafe_lab_objects PRIVATE CAFE_X86=1)
endif()

set(CAFE_LINK ${CAFE_DEFLATE_LIBRARY} ${CAFE_MORE_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} m)
include(cmake/Exports.cmake)

# cafe_library(TARGET FORM NAME SOURCE ...): a shared or static library.
function(cafe_library target form name)
    add_library(${target} ${form} ${ARGN})
    if(EMSCRIPTEN AND form STREQUAL "SHARED") # WebAssembly has none; it is not built
        set(name ${name}-shared)
    endif()
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR})
    target_include_directories(${target} PUBLIC
                               $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# cafe_exports(TARGET MAP): a shared library, all of whose symbols are found when it is linked, exports those of the map.
function(cafe_exports target map)
    target_link_options(${target} PRIVATE "-Wl,--version-script=${map}")
    if(NOT CAFE_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
    cafe_search_path(${target})
endfunction()

foreach(form shared static)
    string(TOUPPER ${form} FORM)
    cafe_library(cafe_${form} ${FORM} cafe $<TARGET_OBJECTS:cafe_objects> ${CAFE_KERNEL_OBJECTS})
    cafe_library(cafe_lab_${form} ${FORM} cafe-lab $<TARGET_OBJECTS:cafe_lab_objects>)
    target_link_libraries(cafe_lab_${form} PUBLIC cafe_${form})
endforeach()
target_link_libraries(cafe_shared PRIVATE ${CAFE_LINK})
target_link_libraries(cafe_static PUBLIC ${CAFE_LINK})
target_link_libraries(cafe_lab_shared PRIVATE m)
add_dependencies(cafe_shared cafe_exports)
cafe_exports(cafe_shared ${CAFE_EXPORTS})
add_dependencies(cafe_lab_shared cafe_exports)
cafe_exports(cafe_lab_shared ${CAFE_LAB_EXPORTS})
set_target_properties(cafe_lab_shared PROPERTIES INSTALL_RPATH "\$ORIGIN") # beside libcafe, wherever that is
