#!/usr/bin/env bash
# The parity list (test_engines) on the engine of several processes, for 2, 3 and 7 of them (test_engines itself runs it
# with one). Every process makes the same calls and compares what it gets with the processor's. And the eigensolver
# (test_eigen_ranks): the same bits as with one process. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

several_processes
export CAFE_TEST_ENGINE=petsc CAFE_TEST_THREADS=1

# list N NAME: that list of tests, by N processes
list() {
    expect 0 timeout 1200 mpirun -q -n "$1" "$BUILD/tests/$2"
    [[ $(grep -c 'PASSED' .last/out .last/err | awk -F: '{ n += $2 } END { print n }') -eq $1 ]] ||
        fail "not all of $1 processes came to the end of $2"
    echo "$2, $1: $(grep -c ' OK ' .last/err || grep -c ' OK ' .last/out) tests passed"
}

CAFE_TEST_BITS=alone list 1 test_eigen_ranks
[[ $(wc -l <alone.0) -ge 30 ]] || fail 'there are pairs that one process has not found'
for ranks in 2 3 7; do
    list "$ranks" test_engines
    CAFE_TEST_BITS=$ranks list "$ranks" test_eigen_ranks
    for ((rank = 0; rank < ranks; rank++)); do same "$ranks.$rank" alone.0; done
done
