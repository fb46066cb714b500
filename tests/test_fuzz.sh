#!/usr/bin/env bash
# Every fuzz target runs 10,000 times and reaches more than the first file of its corpus; and scripts/fuzz --runs
# notices targets that do not.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
export CAFE_SKIP_DEPS=1 # scripts/test has installed the packages

echo 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return !data && size; }' >probe.c
clang -fsanitize=fuzzer,address,undefined probe.c -o probe 2>/dev/null ||
    { echo "skipped: no clang with libFuzzer and the sanitizers (scripts/install-deps --fuzz)"; exit 77; }

# ---- a tree of its own with a good target and bad ones
rm -rf tree
mkdir -p tree/{scripts,fuzz}
cp "$SOURCE/scripts/fuzz" tree/scripts
printf '#!/bin/sh\n' >tree/scripts/install-deps
chmod +x tree/scripts/install-deps
cat >tree/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(targets C)
add_subdirectory(fuzz)
TEXT
cat >tree/fuzz/CMakeLists.txt <<'TEXT'
set(CAFE_FUZZ_TARGETS good crash quit idle bare)
foreach(target ${CAFE_FUZZ_TARGETS})
    add_executable(fuzz_${target} ${target}.c)
    target_compile_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
endforeach()
TEXT
target() { # NAME, body
    printf '%s\n' '#include <stdlib.h>' '#include <unistd.h>' '#include <stdint.h>' \
        'int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) {' 'static int runs; runs++;' "$2" 'return 0; }' \
        >"tree/fuzz/$1.c"
    mkdir -p "tree/fuzz/corpus/$1"
    echo a >"tree/fuzz/corpus/$1/first"
    echo b >"tree/fuzz/corpus/$1/second"
}
target good 'if (n > 0 && d[0] == 98) runs--;'
target crash 'if (n > 0 && d[0] == 98) runs--; if (runs > 500) abort();'
target quit 'if (n > 0 && d[0] == 98) runs--; if (runs > 500) _exit(0);'
target idle ''
target bare 'if (n > 0 && d[0] == 98) runs--;'
rm -r tree/fuzz/corpus/bare
expect 1 tree/scripts/fuzz --runs 2000
prints '4 of 5 targets failed'
prints "^the input: .*crash-"
prints '^quit: stopped after 0 of 2000 executions'
prints '^idle: reaches [0-9]* edges, no more than the first file of its corpus'
prints '^bare: has no corpus'
expect 0 tree/scripts/fuzz --runs 2000 good
prints '^good +2000 '

# ---- every target there is
"$SOURCE/scripts/fuzz" --runs 10000
