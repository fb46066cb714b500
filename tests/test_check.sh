#!/usr/bin/env bash
# Each rule of scripts/check reports a breach that is planted in a small tree, and nothing without.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
[[ -x ${PYTHON:=/usr/bin/python3} ]] || { echo "skipped: no $PYTHON"; exit 77; }
export PYTHON CC=${CC:-cc} BUILD=build

# A tree that keeps all rules: two layers of the core, one of the lab, a command, a library of two functions.
# shellcheck disable=SC2016 # names in backticks
plant() {
    rm -rf tree
    mkdir -p tree/{scripts,src/{base,graph},lab/draw,include/cafe,cli,tests,python}
    cp "$SOURCE"/scripts/{check,rules.py,words.py} tree/scripts
    printf 'int cafe_public(void);\nint cafe_drawn(void);\n' >tree/include/cafe/cafe.h
    printf '#include "base/low.h"\n#include <cafe/cafe.h>\nint cafe_low(void) { return 1; }\n' >tree/src/base/low.c
    echo 'int cafe_low(void);' >tree/src/base/low.h
    cat >tree/src/base/random.h <<'TEXT'
enum cafe_stream { CAFE_STREAM_ONE = 1, CAFE_STREAM_TWO = 2 << 1 };
enum cafe_other_stream { CAFE_STREAM_THREE = 1 };
TEXT
    cat >tree/src/graph/high.c <<'TEXT'
#include "base/low.h"
#include <cafe/cafe.h>
static int draw(void) { return CAFE_STREAM_ONE + CAFE_STREAM_TWO + CAFE_STREAM_THREE; }
int cafe_public(void) { return cafe_low() + draw(); }
TEXT
    sed -i '1i #include "base/random.h"' tree/src/graph/high.c
    printf 'Includes no other folder.\n\n| file | does |\n|---|---|\n| `low.h`, `low.c` | low |\n| `random` | streams |\n' >tree/src/base/README.md
    printf 'Includes `base`.\n\n| file | does |\n|---|---|\n| `high.c` | high |\n' >tree/src/graph/README.md
    printf '#include "base/low.h"\n#include <cafe/cafe.h>\nint cafe_drawn(void) { return cafe_low(); }\n' >tree/lab/draw/top.c
    printf 'Includes `base`.\n\n| file | does |\n|---|---|\n| `top.c` | top |\n' >tree/lab/draw/README.md
    printf '| folder | does |\n|---|---|\n| [`draw`](draw) | draws |\n' >tree/lab/README.md
    printf '| folder | does |\n|---|---|\n| [`base`](base) | low |\n| [`graph`](graph) | high |\n' >tree/src/README.md
    printf '#include <cafe/cafe.h>\nint main(void) { return cafe_public(); }\n' >tree/cli/main.c
}

# Builds it as CMake lays it out; the library exports what the public header declares.
build() {
    local source object exports
    rm -rf tree/build
    for source in tree/{src,lab}/*/*.c tree/cli/*.c; do
        source=${source#tree/}
        object=tree/build/CMakeFiles/cafe_objects.dir/$source.o
        [[ $source != cli/* ]] || object=tree/build/cli/CMakeFiles/cafe.dir/${source#cli/}.o
        mkdir -p "$(dirname "$object")"
        (cd tree && $CC -fPIC -Isrc -Iinclude -w -c "$source" -o "../$object")
    done
    exports=$(grep -ohE 'cafe_\w+\(' tree/include/cafe/*.h | tr -d '(' | sed 's/$/;/' | xargs)
    echo "{ global: $exports local: *; };" >tree/build/exports
    $CC -shared -o tree/build/libcafe.so -Wl,--version-script=tree/build/exports \
        tree/build/CMakeFiles/cafe_objects.dir/*/*/*.o
}

kept() {
    expect 0 tree/scripts/check "$@"
    prints 'all house rules kept'
}

# broken RULE TEXT: the rule reports the text.
broken() {
    expect 1 tree/scripts/check "$1"
    prints "$2"
}

plant
build
kept includes system symbols declarations streams readmes filenames

# ---- calls to the system
sed -i '1i #include <sys/mman.h>' tree/src/base/low.c
broken system 'src/base/low.c: <sys/mman.h> is included by src/os alone'
plant
sed -i 's/return 1/return mmap()/' tree/src/base/low.c
broken system 'src/base/low.c: mmap is used by src/os alone'
plant

# ---- layers
sed -i '1i #include "graph/high.h"' tree/src/base/low.c
broken includes 'src/base/low.c: layer base may not include graph/high.h'
plant
mkdir tree/src/attic
broken includes 'src/attic: not in the list of layers'
plant
sed -i '1i #include "low.h"' tree/src/base/low.c
broken includes '"low.h" without its folder'
plant
sed -i 's/return 1/return cafe_public()/' tree/src/base/low.c
build
broken symbols 'src/base/low.c: layer base may not use cafe_public of src/graph/high.c'
plant
sed -i 's/return cafe_public/int cafe_low(void); return cafe_low() + cafe_public/' tree/cli/main.c
build
broken symbols 'cli/main.c: uses cafe_low of src/base/low.c, which the library does not export'

plant
echo 'int cafe_top(void);' >tree/lab/draw/top.h
sed -i '1i #include "draw/top.h"' tree/src/graph/high.c
broken includes 'src/graph/high.c: layer graph may not include draw/top.h'
plant
sed -i 's/return cafe_low()/return cafe_drawn()/' tree/src/graph/high.c
build
broken symbols 'src/graph/high.c: layer graph may not use cafe_drawn of lab/draw/top.c'
plant
sed -i 's/^int cafe_low/#define CAFE_LAB\nCAFE_LAB &/' tree/src/base/low.h
kept symbols
sed -i 's/return cafe_low()/return 1/' tree/lab/draw/top.c
build
broken symbols 'src/base/low.h: cafe_low is marked by CAFE_LAB, and no folder of lab/ uses it'
plant
mkdir tree/include/cafe-private
echo 'CAFE_PRIVATE int cafe_low(void);' >tree/include/cafe-private/low.h
build
broken symbols 'include/cafe-private/low.h: cafe_low is marked by CAFE_PRIVATE, and neither the tool nor Python uses it'
sed -i 's/cafe_public()/cafe_low()/' tree/cli/main.c
build
kept symbols
plant
mkdir tree/lab/base
broken includes 'lab/base: not in the list of layers'

# ---- names
plant
echo 'int cafe_low(void) { return 2; }' >>tree/cli/main.c
build
broken symbols 'cafe_low: defined in cli/main.c and in src/base/low.c'
broken symbols 'cli/main.c: cafe_low is external and does not begin with cli_ or main_'
plant
echo 'int low(void) { return 2; }' >>tree/src/base/low.c
build
broken symbols 'src/base/low.c: low is external and does not begin with cafe_'
plant
echo 'int cafe_lonely(void) { return cafe_low(); }' >>tree/src/base/low.c
build
broken symbols 'src/base/low.c: cafe_lonely is used there alone and should be static'
echo 'int cafe_lonely(void);' >tree/tests/test_low.h
kept symbols # a test looks inside
plant
echo 'int cafe_low(void);' >tree/src/graph/high.h
broken declarations 'cafe_low: declared in src/base/low.h and in src/graph/high.h'
plant
echo 'extern int cafe_low(void);' >>tree/src/graph/high.c
broken declarations 'src/graph/high.c: declares cafe_low itself'

# ---- locales
plant
mkdir tree/engines
kept locale
echo 'double cafe_half(const char *text) { return strtod(text, 0); }' >>tree/src/base/low.c
broken locale 'depends on the locale: src/base/low.c:4:.*strtod'
plant
echo 'int cafe_put(char *text, double x) { return snprintf(text, 9, "%g", x); }' >>tree/src/graph/high.c
broken locale 'depends on the locale: src/graph/high.c:'
plant
echo '{ setlocale(LC_ALL, ""); }' >>tree/cli/main.c
broken locale 'the tool keeps the locale'

# ---- options in messages
plant
kept spelling
echo 'const char *cafe_text(void) { return "give --columns"; }' >>tree/src/base/low.c
broken spelling 'an option as the tool spells it: src/base/low.c:4:'

# ---- words
plant
kept words
echo '/* The time is foretold. */' >>tree/src/base/low.c
broken words 'src/base/low.c:4:.*foretold'
plant
printf 'One line ends with numbers\nof nodes.\n' >tree/README.md
broken words "README.md:1: 'numbers of nodes': write node ids"
plant
mkdir tree/docs
{ printf 'Short. Word %s' "$(printf 'word %.0s' {1..30})"; printf '\n\n    code %s' "$(printf 'word %.0s' {1..40})"; } >tree/docs/long.md
expect 0 tree/scripts/check --sentences
prints 'docs/long.md: 31 words: Word word'
! grep -qE 'Short|code code' .last/out || fail 'more than long sentences'

# ---- random streams
plant
sed -i 's/2 << 1/1/' tree/src/base/random.h
broken streams 'CAFE_STREAM_TWO and CAFE_STREAM_ONE have the same number 1'
plant
echo 'enum { CAFE_STREAM_MINE = 9 };' >>tree/src/graph/high.c
broken streams 'src/graph/high.c: CAFE_STREAM_MINE belongs into src/base/random.h'
plant
sed -i 's/ + CAFE_STREAM_TWO//' tree/src/graph/high.c
broken streams 'CAFE_STREAM_TWO is not used'
plant
echo 'static int also(void) { return CAFE_STREAM_ONE; }' >>tree/src/base/low.c
broken streams 'CAFE_STREAM_ONE: used by base and by graph'
plant
echo 'static int seven(void) { return cafe_philox(seed, 7, 0); }' >>tree/src/base/low.c
broken streams 'src/base/low.c: random numbers of 7, which is no named stream'

# ---- READMEs
plant
touch tree/src/base/extra.c
broken readmes 'src/base/README.md: has no line for extra.c'
plant
rm tree/src/graph/high.c
broken readmes 'src/graph/README.md: there is no high.c'
plant
rm tree/src/graph/README.md
broken readmes 'src/graph: has no README.md'
plant
mkdir tree/src/attic
touch tree/src/attic/README.md
broken readmes 'src/README.md: has no line for attic'
plant
sed -i 's/graph/attic/' tree/src/README.md
broken readmes 'src/README.md: there is no folder attic'
plant
mkdir tree/lab/attic
touch tree/lab/attic/README.md
broken readmes 'lab/README.md: has no line for attic'
plant
echo '#include <cafe/low.h>' >>tree/include/cafe/cafe.h
broken readmes 'src/README.md: does not list low.h'
# shellcheck disable=SC2016
echo '`low.h`' >>tree/src/README.md
kept readmes

plant
sed -i '/base\/low.h/d' tree/src/graph/high.c
kept readmes # random.h is of the same folder
sed -i '/base/d' tree/src/graph/high.c
broken readmes 'src/graph/README.md: does not say: Includes no other folder'

# ---- methods, with a tool that has two
plant
mkdir -p tree/build tree/docs
cat >tree/build/cafe <<'TEXT'
#!/bin/sh
[ "$1" != help ] || printf 'vectors, by cafe embed --method:\n  one  first\n  two  second\n'
[ "$*" = "${*#*two}" ] || exit 2
echo 'the run needs 1 byte'
TEXT
chmod +x tree/build/cafe
echo 'One, two.' | tee tree/docs/methods.md tree/tests/test_methods.sh >tree/CHANGELOG.md
broken methods 'method two has no forecast'
sed -i 's/exit 2/true/' tree/build/cafe
kept methods
for place in docs/methods.md:document tests/test_methods.sh:test CHANGELOG.md:'line in the change log'; do
    echo 'One, twofold.' >"tree/${place%:*}"
    broken methods "method two has no ${place#*:}"
    echo 'One, two.' >"tree/${place%:*}"
done

# ---- comparisons
# shellcheck disable=SC2016 # lines of tests
for line in 'cmp "$x" "$y"' 'diff -r a.txt ab.txt'; do echo "$line"; done >tree/tests/test_same.sh
echo 'assert_int_equal(f(a), f(b));' >tree/tests/test_same.c
kept selves
# shellcheck disable=SC2016
printf '%s\n' 'cmp -s "$x" "$x"' 'diff <(cafe rank x) <(cafe rank x)' >>tree/tests/test_same.sh
broken selves 'tests/test_same.sh:3: compares a thing with itself'
prints 'tests/test_same.sh:4: compares a thing with itself'
plant
echo 'assert_memory_equal(a->x, a->x, 8);' >tree/tests/test_same.c
broken selves 'tests/test_same.c:1: compares a thing with itself'

# ---- names of files
plant
cp tree/src/graph/high.c tree/src/base/high.c
broken filenames 'high.c: the name of src/base/high.c and of src/graph/high.c'

# ---- options, with a tool and generators that say what a line of text says
plant
mkdir -p tree/build tree/python/cafe
cat >tree/build/cafe <<'TEXT'
#!/bin/sh
printf '*-k*, *--columns* _K_\n*--twist-mean* _R_\n*--lambda* _L_\n*--json* _FILE_\n'
TEXT
chmod +x tree/build/cafe
echo 'pass' >tree/python/generate_abi.py
cp "$SOURCE/python/cafe/_names.py" tree/python/cafe/
cat >tree/python/generate_stubs.py <<'TEXT'
import sys
words = "n_components: int, twist_mean: float, lam: float, n_jobs: int"
open(sys.argv[1], "w").write(f"def __init__(self, {words}) -> None: ...")
TEXT
kept options
sed -i 's/twist_mean/mean/' tree/python/generate_stubs.py
broken options '^rules: --twist-mean of the tool is no keyword in Python'
broken options '^rules: keyword mean in Python is no option of the tool'
echo 'raise SystemExit("no library")' >tree/python/generate_stubs.py
expect 0 tree/scripts/check options
says 'skipped: options of Python: no library'

# ---- the rules of scripts/check itself
plant
echo 'static void talk(void) { printf("x"); }' >>tree/src/base/low.c
broken quiet 'the library does not talk or stop: src/base/low.c'
plant
echo '#include "base/low.h"' >>tree/include/cafe/cafe.h
broken outside 'public header includes a private one'
plant
echo 'int cafe_bool(bool x);' >>tree/include/cafe/cafe.h
broken headers 'not valid C17: include/cafe/cafe.h'
plant
cp "$SOURCE/scripts/api.py" tree/scripts
mkdir tree/docs
printf '/* A header. */\n/* Says hello. */\nCAFE_API int cafe_hello(void);\n' >tree/include/cafe/hello.h
expect 0 env /usr/bin/python3 tree/scripts/api.py
grep -q 'cafe_hello.*Says hello' tree/docs/api.md || fail 'the overview lacks a function'
kept api
echo 'CAFE_API int cafe_bye(void);' >>tree/include/cafe/hello.h
broken api 'docs/api.md is not what the headers say'
