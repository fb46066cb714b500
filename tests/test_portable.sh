#!/usr/bin/env bash
# scripts/portable.py, which names the platform of a wheel: what runs on older systems passes, and each thing that does
# not is found and named. A library planted in the current folder is not loaded by what was built here.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}"
python=${PYTHON:-/usr/bin/python3}
if [[ $(uname -sm) != "Linux x86_64" || ! -x $python ]] || ! command -v readelf >/dev/null; then
    echo "skipped: for Linux on x86-64 with readelf and Python"
    exit 77
fi
if sanitized; then
    echo "skipped: what is built with sanitizers runs where it was built"
    exit 77
fi

# library NAME SOURCE OPTION ...: a shared library
library() {
    echo "$2" >"$1.c"
    cc -shared -fPIC "$1.c" -o "$1.so" "${@:3}"
}
portable() { "$python" "$SOURCE/scripts/portable.py" "$@"; }

# ---- what may go into a wheel
library good 'int f(void) { return 1; }'
expect 0 portable good.so
prints '^manylinux_2_17_x86_64$'
# a symbol of glibc 2.25 gives the platform its name
library entropy $'#include <sys/random.h>\nlong f(void *p) { return getrandom(p, 1, 0); }'
expect 0 portable good.so entropy.so
prints '^manylinux_2_25_x86_64$'

# ---- what may not
refused() { # refused PATTERN ARGUMENT ...
    expect 1 portable "${@:2}"
    says "$1"
    ! grep -q manylinux .last/out || fail "a platform is named nevertheless"
}
refused 'entropy.so: asks for glibc 2.25: getrandom@2.25$' --limit 2.24 good.so entropy.so
for path in '' '/usr/lib:' 'lib' '/usr/lib'; do
    library path 'int f(void) { return 1; }' "-Wl,-rpath,$path:/usr/lib"
    refused "path.so: looks for libraries in '$path:/usr/lib'" path.so
done
library needs 'int f(void); int g(void) { return f(); }' -Wl,--no-as-needed ./good.so
refused 'needs.so: needs ./good.so' needs.so
# unless it is among the files, looked for in their own folder
cc -shared -fPIC good.c -o libgood.so -Wl,-soname,libgood.so
# shellcheck disable=SC2016 # the linker's $ORIGIN
library pair 'int f(void); int g(void) { return f(); }' -Wl,--no-as-needed ./libgood.so '-Wl,-rpath,$ORIGIN'
refused 'pair.so: needs libgood.so' pair.so
expect 0 portable pair.so libgood.so
library stack 'int f(void) { return 1; }' -Wl,-z,execstack
refused 'stack.so: wants to execute its stack' stack.so
expect 2 portable

# ---- a library of that name in the current folder
# The library is empty: a program that loads it lacks its functions and fails. The first line shows this.
name=$(readelf -dW "$BUILD/libcafe.so" | sed -nE 's/.*NEEDED.*\[(libisal\.[^]]*)\]/\1/p')
if [[ -n $name ]]; then
    mkdir planted
    library planted 'int planted;'
    mv planted.so "planted/$name"
    cd planted
    mkdir .last
    load() { "$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$BUILD/libcafe.so"; }
    LD_LIBRARY_PATH=. expect 1 load
    says 'undefined symbol'
    expect 0 load
    expect 0 "$CAFE" --version
fi
