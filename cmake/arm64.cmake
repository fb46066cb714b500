# Cross-building for Linux on ARM (64 bits), with Debian's compiler: -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DCAFE_ROOT=FOLDER.
# FOLDER has the C library and the other libraries of that system, laid out as there. Programs run under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_SYSROOT ${CAFE_ROOT})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CAFE_ROOT)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CAFE_ROOT})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CAFE_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CAFE_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
