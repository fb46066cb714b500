#!/usr/bin/env bash
# The parity list (test_engines) on the engine of several processes, for 2, 3, 4 and 7 of them (test_engines
# itself runs it with one): every process makes the same calls and compares what it gets with the processor's.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

several_processes
export CAFE_TEST_ENGINE=petsc CAFE_TEST_THREADS=1

for ranks in 2 3 4 7; do
    expect 0 timeout 300 mpirun -q -n "$ranks" "$BUILD/tests/test_engines"
    [[ $(grep -c 'PASSED' .last/out .last/err | awk -F: '{ n += $2 } END { print n }') -eq $ranks ]] ||
        fail "not all of $ranks processes came to the end"
    echo "$ranks: $(grep -c ' OK ' .last/err || grep -c ' OK ' .last/out) tests passed"
done
