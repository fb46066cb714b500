#!/usr/bin/env bash
# Installs into a folder of its own and builds consumers of libcafe and of libcafe-lab against it: C by pkg-config
# (shared and static), C by find_package, C++. Each exports what its headers declare; the SONAMEs are right.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}"
if sanitized; then
    echo "skipped: consumers of a sanitized library would have to be sanitized too"
    exit 77
fi
prefix=$SCRATCH/prefix
cmake --install "$BUILD" --prefix "$prefix" >install.log

# ---- what was installed
libraries=$(dirname "$(find "$prefix" -name libcafe.a)")
for file in bin/cafe include/cafe/cafe.h; do [[ -e $prefix/$file ]] || fail "no $file"; done
for header in "$SOURCE"/include/cafe/*.h; do
    [[ -e $prefix/include/cafe/${header##*/} ]] || fail "header ${header##*/} is not installed"
done
if [[ -e $BUILD/man/cafe.1 ]]; then
    for page in cafe cafe-embed cafe-convert cafe-info cafe-generate cafe-update cafe-rank cafe-recommend \
        cafe-place cafe-points cafe-explain cafe-evaluate cafe-reproduce cafe-report cafe-plot cafe-tune; do
        [[ -s $prefix/share/man/man1/$page.1 ]] || fail "no manual page $page.1"
    done
fi
version=$("$prefix/bin/cafe" --version | cut -d ' ' -f 2)

# headers FILE: those of a library, as its header FILE includes them
headers() {
    echo "$SOURCE/include/cafe/$1"
    sed -nE "s|^#include <(cafe/.*)>|$SOURCE/include/\\1|p" "$SOURCE/include/cafe/$1" | grep -v '/cafe\.h$'
}
# exports NAME HEADER...: the library exports exactly what the headers declare, and what is private to Cafe.
exports() {
    local soname library=$libraries/$1.so
    soname=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
    [[ $soname == "$1.so.${version%%.*}" ]] || fail "SONAME $soname"
    [[ -e $libraries/$soname && -e $library.$version ]] || fail "links of the library"
    nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' >exported.txt
    ! grep -v '^cafe_' exported.txt || fail "symbols that are not cafe_* are exported"
    sed -nE 's/^CAFE_API [^(]*[ *](cafe_[a-z0-9_]+)\(.*/\1/p' "${@:2}" | sort -u >declared.txt
    [[ -s declared.txt ]] || fail "nothing is declared"
    grep -v '@CAFE_PRIVATE' exported.txt | sed 's/@.*//' | sort -u | diff declared.txt - ||
        fail "declared and exported functions differ"
}
mapfile -t core < <(headers cafe.h)
mapfile -t lab < <(headers lab.h)
exports libcafe "${core[@]}"
exports libcafe-lab "${lab[@]}"
# no header is left out, and none of the first includes one of the second
printf '%s\n' "${core[@]}" "${lab[@]}" | sort >known.txt
find "$SOURCE/include/cafe" -name '*.h' | sort | diff known.txt - || fail "headers in neither or both of cafe.h and lab.h"
for header in "${lab[@]}"; do
    ! grep -n "<cafe/${header##*/}>" "${core[@]}" || fail "a header of the core includes $header"
done

# ---- consumers
cat >consumer.c <<'TEXT'
#include <cafe/cafe.h>
#include <stdio.h>

int main(void) {
    const int32_t source[] = {0, 1, 2, 3}, target[] = {1, 2, 0, 0};
    cafe_context *context = NULL;
    cafe_graph *graph = NULL;
    if (cafe_context_create(NULL, &context) != CAFE_OK) return 1;
    cafe_status status = cafe_graph_from_edges(context, 4, 4, source, target, NULL, NULL, &graph);
    printf("%s %lld\n", cafe_version(), (long long)(graph ? cafe_graph_get_counts(graph)->edges : -1));
    cafe_graph_free(graph);
    cafe_context_free(context);
    return status == CAFE_OK ? 0 : 1;
}
TEXT
cp consumer.c consumer.cpp
cat >lab.c <<'TEXT'
#include <cafe/lab.h>
#include <stdio.h>

int main(void) {
    cafe_context *context = NULL;
    if (cafe_context_create(NULL, &context) != CAFE_OK) return 1;
    int before = cafe_method_find(context, "deepwalk") != NULL;
    cafe_lab_add(context);
    int after = cafe_method_find(context, "deepwalk") != NULL;
    printf("%s %d\n", cafe_version(), !before && after ? 4 : 0);
    cafe_context_free(context);
    return 0;
}
TEXT
runs() { [[ $("$@") == "$version 4" ]] || fail "$* does not run"; }

export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
[[ $(pkg-config --modversion cafe) == "$version" ]] || fail "pkg-config's version"
read -ra flags <<<"$(pkg-config --cflags --libs cafe)"
cc -std=c17 -Wall -Wextra -Werror consumer.c "${flags[@]}" -o shared
runs ./shared
c++ -Wall -Wextra -Werror consumer.cpp "${flags[@]}" -o plusplus
runs ./plusplus
! ldd ./shared | grep libcafe-lab || fail "a program of libcafe loads libcafe-lab"
read -ra flags <<<"$(pkg-config --static --cflags --libs cafe | sed "s|-lcafe|$libraries/libcafe.a|")"
cc consumer.c "${flags[@]}" -o static
LD_LIBRARY_PATH='' runs ./static
read -ra flags <<<"$(pkg-config --cflags --libs cafe-lab)"
cc -std=c17 -Wall -Wextra -Werror lab.c "${flags[@]}" -o lab
runs ./lab
read -ra flags <<<"$(pkg-config --static --cflags --libs cafe-lab |
    sed "s|-lcafe-lab|$libraries/libcafe-lab.a|; s|-lcafe\\b|$libraries/libcafe.a|")"
cc lab.c "${flags[@]}" -o lab_static
LD_LIBRARY_PATH='' runs ./lab_static

mkdir package
cat >package/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(cafe 0.1 REQUIRED)
add_executable(shared ../consumer.c)
target_link_libraries(shared PRIVATE cafe::cafe)
add_executable(static ../consumer.c)
target_link_libraries(static PRIVATE cafe::cafe_static)
add_executable(lab ../lab.c)
target_link_libraries(lab PRIVATE cafe::lab)
add_executable(lab_static ../lab.c)
target_link_libraries(lab_static PRIVATE cafe::lab_static)
TEXT
cmake -S package -B package/build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 ||
    { cat cmake.log; fail "find_package"; }
cmake --build package/build >>cmake.log 2>&1 || { cat cmake.log; fail "build by find_package"; }
runs package/build/shared
LD_LIBRARY_PATH='' runs package/build/static
runs package/build/lab
LD_LIBRARY_PATH='' runs package/build/lab_static

# ---- DESTDIR
DESTDIR=$SCRATCH/stage cmake --install "$BUILD" --prefix /usr >install.log
[[ -x $SCRATCH/stage/usr/bin/cafe ]] || fail "DESTDIR is not honoured"
grep -q '^prefix=/usr$' "$(find "$SCRATCH/stage" -name cafe.pc)" || fail "cafe.pc under DESTDIR"
! grep -rn -e "$SOURCE" -e "$BUILD" "$SCRATCH/stage" --include='*.pc' --include='*.cmake' ||
    fail "the installed files name folders of this build"
