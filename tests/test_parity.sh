#!/usr/bin/env bash
# The parity list (test_engines) on the engine of several processes, for 2, 3, 4 and 7 of them (test_engines
# itself runs it with one): every process makes the same calls and compares what it gets with the processor's.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

command -v mpirun >/dev/null || { echo 'skipped: there is no mpirun'; exit 77; }
[[ -e ${BUILD:?}/libcafe-petsc.so ]] || { echo 'skipped: libcafe-petsc.so was not built'; exit 77; }
export CAFE_ENGINE_PATH=$BUILD CAFE_TEST_ENGINE=petsc CAFE_TEST_THREADS=1
# not as many processors as processes, and these give way to one another while they wait
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_vader_single_copy_mechanism=none

for ranks in 2 3 4 7; do
    expect 0 timeout 300 mpirun -q -n "$ranks" "$BUILD/tests/test_engines"
    [[ $(grep -c 'PASSED' .last/out .last/err | awk -F: '{ n += $2 } END { print n }') -eq $ranks ]] ||
        fail "not all of $ranks processes came to the end"
    echo "$ranks: $(grep -c ' OK ' .last/err || grep -c ' OK ' .last/out) tests passed"
done
