#!/usr/bin/env bash
# Programs that were built with headers of other versions run with today's library, and today's headers
# keep what those of the release promised.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}" "${PYTHON:=/usr/bin/python3}"
if sanitized; then
    echo "skipped: a program without sanitizers cannot load a library that has them"
    exit 77
fi

# run NAME FOLDER [FLAG]: builds the program with the headers of FOLDER/include and runs it.
run() {
    expect 0 "${CC:-cc}" -std=c17 -Wall -Wextra -Werror ${3:+"$3"} -I"$2/include" \
        "$SOURCE/tests/abi/program.c" -o "$1.run" "$BUILD/libcafe-lab.so" "$BUILD/libcafe.so"
    expect 0 env LD_LIBRARY_PATH="$BUILD" "./$1.run"
    cp .last/out "$1.out"
}

# fabricate FOLDER STRUCT:EDIT...: today's headers with an edit (of sed) in the lines of each struct.
fabricate() {
    local change file
    mkdir "$1"
    cp -r "$SOURCE/include" "$1"
    for change in "${@:2}"; do
        file=$(grep -l "^} cafe_${change%%:*};" "$1"/include/cafe/*.h)
        cp "$file" before
        sed -i "/^typedef struct cafe_${change%%:*} {/,/^}/{${change#*:}}" "$file"
        ! cmp -s before "$file" || fail "cafe_${change%%:*}: no line fits ${change#*:}"
    done
}

# compare FOLDER FOLDER: prints what the first headers promise and the second ones do not keep.
compare() {
    expect 0 env CAFE_SOURCE="$1" "$PYTHON" "$SOURCE/python/generate_abi.py" release.py
    expect 0 env CAFE_SOURCE="$2" "$PYTHON" "$SOURCE/python/generate_abi.py" now.py
    expect 0 "$PYTHON" "$SOURCE/tests/abi/compare.py" ./release.py ./now.py
}

later='s/^}/    int64_t later;\n}/'
fabricate later "sphere_options:$later" "pagerank_report:$later" "certificate:$later"
fabricate earlier 'sphere_options:/ storage;/d' 'pagerank_report:/ error;/d' \
    'certificate:/groups;/d'

run today "$SOURCE"
run v1 "$SOURCE/tests/abi/v1" # before the release, where headers may change: cp -r include tests/abi/v1
run later later -DLATER
run earlier earlier
for version in v1 later earlier; do same today.out "$version.out"; done

if [[ ! -x $PYTHON ]]; then
    echo "skipped: no $PYTHON to compare headers"
    exit 0
fi
compare "$SOURCE" later
silent
compare earlier "$SOURCE"
silent
fabricate broken 'sphere_options:s/^    int64_t columns;/    int64_t more;\n&/' "listed:$later" \
    'pagerank_report:s/ error;/ fault;/'
sed -i 's/CAFE_SAMPLING_WALK = 1,/CAFE_SAMPLING_WALK = 9,/; s/\(cafe_set_read([^,]*\),/\1, int32_t x,/' \
    broken/include/cafe/*.h
compare "$SOURCE" broken
prints '^cafe_sphere_options: columns is gone or elsewhere'
prints '^cafe_listed: closed, and of another size'
prints '^cafe_pagerank_report: error is gone or elsewhere'
prints '^CAFE_SAMPLING_WALK: no longer 1'
prints '^cafe_set_read: gone, or its signature changed'
if ! grep -q '(unreleased)' "$SOURCE/CHANGELOG.md"; then
    compare "$SOURCE/tests/abi/v1" "$SOURCE"
    silent
fi
