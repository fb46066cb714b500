#!/usr/bin/env bash
# Programs that were built with headers of other versions run with today's library, and the headers keep
# what tests/abi/interface.txt lists.
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

# broken LIST FOLDER: prints the lines of the list that the headers of FOLDER do not keep.
broken() {
    expect 0 "$PYTHON" "$SOURCE/tests/abi/interface.py" "$2"
    cp .last/out now.txt
    expect 0 env LC_ALL=C comm -23 "$1" now.txt
}

later='s/^}/    int64_t later;\n}/'
fabricate later "sphere_options:$later" "pagerank_report:$later" "certificate:$later"
fabricate earlier 'sphere_options:/ storage;/d' 'pagerank_report:/ error;/d' \
    'certificate:/groups;/d'

run today "$SOURCE"
run later later -DLATER
run earlier earlier
for version in later earlier; do same today.out "$version.out"; done

# ---- how many functions there are: a further one has to be worth it
# exported LIBRARY: prints the number of functions, those private to Cafe not counted
exported() {
    nm -D --defined-only "$BUILD/$1.so" | grep -v '@CAFE_PRIVATE' | grep -c ' T '
}
core=$(exported libcafe) lab=$(exported libcafe-lab)
((core <= 150)) || fail "libcafe exports $core functions, of 150"
((core + lab <= 260)) || fail "libcafe and libcafe-lab export $((core + lab)) functions, of 260"

if [[ ! -x $PYTHON ]]; then
    echo "skipped: no $PYTHON to read the headers"
    exit 0
fi
broken "$SOURCE/tests/abi/interface.txt" "$SOURCE"
silent # or, where it was meant: python3 tests/abi/interface.py >tests/abi/interface.txt
cmp -s now.txt "$SOURCE/tests/abi/interface.txt" || fail "tests/abi/interface.txt lacks what is new in the headers"
broken "$SOURCE/tests/abi/interface.txt" later
silent
fabricate broken 'sphere_options:s/^    int64_t columns;/    int64_t more;\n&/' "listed:$later" \
    'pagerank_report:s/ error;/ fault;/'
sed -i 's/CAFE_SAMPLING_WALK = 1,/CAFE_SAMPLING_WALK = 9,/; s/\(cafe_set_read([^,]*\),/\1, int32_t x,/' \
    broken/include/cafe/*.h
broken "$SOURCE/tests/abi/interface.txt" broken
prints '^field cafe_sphere_options.columns '
prints '^struct cafe_listed '
prints '^field cafe_pagerank_report.error '
prints '^number CAFE_SAMPLING_WALK 1$'
prints '^function cafe_set_read: '
