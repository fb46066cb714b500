# Against exploits of a fault, and against libraries from the wrong folder: release builds guard their
# stacks, check calls of the C library, are position-independent and bind all their symbols at the start.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

check_pie_supported(LANGUAGES C)

# The search path of what is installed is that of the build: CMake would else leave room for it, a
# last element that is empty, which is the current folder. Folders of libraries outside the system's
# stay in it.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
function(cafe_search_path target)
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endfunction()

if(CAFE_SANITIZE OR EMSCRIPTEN OR CMAKE_BUILD_TYPE STREQUAL "Debug") # WebAssembly has a stack of its own kind
    return()
endif()
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "CAFE_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
        add_compile_options(${flag})
    endif()
endforeach()
add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# The linker marks a file for the shadow stack only if all that is linked has the mark, and the C library's start files
# are built without -fcf-protection on many systems. Their code returns where it was called from, which is all that the
# mark promises. The mark for indirect branches (IBT) promises more, so it is left to the linker.
check_linker_flag(C LINKER:-z,shstk CAFE_HAS_SHADOW_STACK)
if(CAFE_HAS_SHADOW_STACK AND CAFE_HAS_fcf_protection)
    add_link_options(LINKER:-z,shstk)
endif()
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
