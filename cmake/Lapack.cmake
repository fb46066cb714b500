# LAPACK for K x K matrices: what is needed of the reference LAPACK and BLAS, taken out of their static
# libraries into one object, lapack.o, that is part of the library.
#
# No BLAS of the system is linked or loaded: those that are made for speed start threads and ask for large
# buffers of their own, wait for ever where they cannot have them, and round as the processor pleases. The
# reference code does none of that, and its one hot spot, dgemm, is a kernel of ours (src/engine/lapack.c).
# Names in lapack.o are local but for those given here, so that another LAPACK in a program is never met.
set(CAFE_LAPACK_ROUTINES dsyevd dsterf dgesdd ilaver)
find_library(CAFE_LAPACK_ARCHIVE liblapack.a PATH_SUFFIXES lapack DOC "the reference LAPACK, static")
find_library(CAFE_BLAS_ARCHIVE libblas.a PATH_SUFFIXES blas DOC "the reference BLAS, static")
foreach(name LAPACK BLAS)
    set(archive "${CAFE_${name}_ARCHIVE}")
    if(NOT archive)
        message(FATAL_ERROR "The static library of the reference ${name} was not found. Debian and Ubuntu "
                "have it in liblapack-dev and libblas-dev, Fedora in lapack-static and blas-static; from "
                "source: https://netlib.org/lapack. Elsewhere: -DCAFE_${name}_ARCHIVE=FILE.")
    endif()
    file(STRINGS "${archive}" other REGEX "blas_memory_alloc|openblas_|mkl_|ATL_" LIMIT_COUNT 1)
    if(other)
        message(FATAL_ERROR "${archive} is not the reference ${name}; name it by -DCAFE_${name}_ARCHIVE=FILE "
                "(Debian and Ubuntu: liblapack-dev and libblas-dev)")
    endif()
endforeach()

set(pull "")
set(rename --redefine-sym __wrap_dgemm_=cafe_lapack_dgemm --redefine-sym __wrap_xerbla_=cafe_lapack_error
    --redefine-sym _gfortran_concat_string=cafe_lapack_join)
set(keep "")
foreach(routine ${CAFE_LAPACK_ROUTINES})
    list(APPEND pull -Wl,-u,${routine}_)
    list(APPEND rename --redefine-sym ${routine}_=cafe_lapack_${routine})
    list(APPEND keep --keep-global-symbol=cafe_lapack_${routine})
endforeach()
set(CAFE_LAPACK_OBJECT ${CMAKE_BINARY_DIR}/lapack.o)
add_custom_command(OUTPUT ${CAFE_LAPACK_OBJECT}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o lapack.part.o ${pull} -Wl,--wrap=dgemm_ -Wl,--wrap=xerbla_
            ${CAFE_LAPACK_ARCHIVE} ${CAFE_BLAS_ARCHIVE}
    COMMAND ${CMAKE_OBJCOPY} ${rename} lapack.part.o
    COMMAND ${CMAKE_OBJCOPY} --strip-debug ${keep} lapack.part.o ${CAFE_LAPACK_OBJECT}
    DEPENDS ${CAFE_LAPACK_ARCHIVE} ${CAFE_BLAS_ARCHIVE}
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
    COMMENT "Taking ${CAFE_LAPACK_ROUTINES} out of LAPACK"
    VERBATIM)
add_custom_target(cafe_lapack DEPENDS ${CAFE_LAPACK_OBJECT})
set_source_files_properties(${CAFE_LAPACK_OBJECT} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
