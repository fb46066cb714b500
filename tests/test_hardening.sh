#!/usr/bin/env bash
# Everything built and installed has no empty or relative folder in a search path. Release builds are
# position-independent, with read-only relocations bound at the start, guarded stacks and checked calls of the C
# library. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}"
if ! command -v readelf >/dev/null; then
    echo "skipped: readelf is not there"
    exit 77
fi

# ---- the check finds what it looks for
echo 'int main(void) { return 0; }' >bad.c
for path in '/usr/lib:' ':/usr/lib' '/usr//lib::/lib' 'lib' './lib' '/lib:lib'; do
    cc bad.c -o bad "-Wl,-rpath,$path"
    ! (search_path bad) 2>.last/err || fail "a search path of '$path' is not found"
done
# shellcheck disable=SC2016 # the linker's $ORIGIN
cc bad.c -o good '-Wl,-rpath,$ORIGIN/../lib:/usr/lib'
search_path good

# ---- what was built, and what is installed
cmake --install "$BUILD" --prefix "$SCRATCH/prefix" >install.log
mapfile -t files < <(find "$BUILD" \( -path "$BUILD/roots" -o -path "$BUILD/archives" \) -prune -o \
    -type f \( -perm -u+x -o -name '*.so*' \) -not -path '*/CMakeFiles/*' \
    -not -path '*.scratch/*' -not -path "$BUILD/python*" -not -path "$BUILD/*san/*" -not -path "$BUILD/debug/*" \
    -not -path "$BUILD/fuzz*/*" -print
    find "$SCRATCH/prefix" -type f \( -path '*/bin/*' -o -name '*.so*' \))
count=0
for file in "${files[@]}"; do
    readelf -h "$file" >header.txt 2>/dev/null || continue
    search_path "$file"
    count=$((count + 1))
done
[[ $count -ge 4 ]] || fail "only $count programs and libraries were found"

# ---- hardening of the tool and the library
if ! grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' "$BUILD/CMakeCache.txt" ||
    sanitized; then
    echo "search paths of $count files are good; hardening is that of release builds"
    exit 0
fi
# marked FILE MARK: does its note say that it works with the shadow stack (SHSTK), with checked indirect branches (IBT)?
marked() { readelf -nW "$1" | grep -q "x86 feature:.*$2"; }
if grep -q '^CAFE_HAS_fcf_protection:INTERNAL=1' "$BUILD/CMakeCache.txt" && [[ $(uname -m) == x86_64 ]]; then
    echo 'int f(void) { return 0; }' >mark.c
    cc -fcf-protection=none -c mark.c -o mark.o
    ! marked mark.o SHSTK || fail 'an object without a mark has one'
    # every object of ours has both marks; of the files that are linked from them one is the linker's to give
    while IFS= read -r -d '' object; do
        for mark in IBT SHSTK; do marked "$object" $mark || fail "$object: no mark of $mark"; done
    done < <(find "$BUILD/CMakeFiles" "$BUILD/cli" "$BUILD/classify" -name '*.c.o' -print0)
    for file in "$BUILD/cafe" "$BUILD"/libcafe.so "$BUILD"/libcafe-lab.so "$BUILD"/libcafe-naive.so "$SCRATCH/prefix/bin/cafe"; do
        marked "$file" SHSTK || fail "$file: not marked for the shadow stack"
    done
fi
for file in "$BUILD/cafe" "$BUILD/libcafe.so" "$BUILD/libcafe-lab.so" "$SCRATCH/prefix/bin/cafe"; do
    readelf -hldW "$file" >elf.txt
    readelf -sW --dyn-syms "$file" >symbols.txt
    grep -qE 'Type: +DYN' elf.txt || fail "$file: not position-independent"
    grep -q GNU_RELRO elf.txt || fail "$file: relocations stay writable"
    grep -qE '\(FLAGS(_1)?\).*\b(BIND_)?NOW\b' elf.txt || fail "$file: functions are bound when first called"
    grep -qE 'GNU_STACK.* RW ' elf.txt || fail "$file: the stack can be executed"
    grep -q __stack_chk_fail symbols.txt || fail "$file: stacks are not guarded"
    [[ $file == */libcafe-lab.so ]] || # which leaves such calls to libcafe
        grep -qE '__(mem|str|v?sn?printf|v?fprintf)[a-z]*_chk' symbols.txt || fail "$file: calls of the C library are not checked"
done
