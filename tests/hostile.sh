#!/usr/bin/env bash
# hostile.sh FOLDER: what a stranger's archive may hold. FOLDER/owner is the user's. FOLDER/absolute, /parent and
# /link are unpacked data sets: each has inputs of every kind, and beside them
#     a list of renames into owner, as a run of an early version left it (full paths; ../; a link in its place)
#     temporary files of dead runs: a file, a link, a hard link, a pipe, a folder
#     marks of unfinished files, one of them a link
#     engines and libraries that show that they were loaded, in the file $CAFE_PLANTED
#     links and pipes in place of files of names
# $CAFE is the tool, $BUILD the folder of the build.
set -euo pipefail
: "${CAFE:?}" "${BUILD:?}"
mkdir -p "$1"
root=$(cd "$1" && pwd)
cd "$root"
mkdir owner inputs
printf 'alias ll=ls\n' >owner/.bashrc
printf 'irreplaceable\n' >owner/precious

cd inputs
q=(-q -t1)
printf 'a b\nb c\nc a\nc d\nd e\ne f\nf d\n' >graph.txt
printf 'a one\nb one\nc one\nd two\ne two\nf two\n' >labels.txt
printf '+ a f\n- c d\n' >changes.txt
printf 'x a\nx b\n' >arrivals.txt
"$CAFE" convert graph.txt graph.cafe "${q[@]}"
"$CAFE" convert graph.txt graph.mtx "${q[@]}"
"$CAFE" embed graph.txt "${q[@]}" -k 2 --output-form raw -o v.npy --json report.json
"$CAFE" cluster graph.txt "${q[@]}" -o communities.tsv
"$CAFE" plot graph.txt v.npy "${q[@]}" -o map.tsv
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n' >pipe.mtx
cp graph.txt marked.txt
cd ..

# CRC-64 of ECMA-182, reflected, of standard input
crc64() {
    local -i crc=-1 byte bit
    while read -r byte; do
        crc=$((crc ^ byte))
        for ((bit = 0; bit < 8; bit++)); do
            crc=$(((crc >> 1 & 0x7fffffffffffffff) ^ (crc & 1 ? 0xc96c5795d7870f42 : 0)))
        done
    done < <(od -An -v -tu1 -w1)
    printf '%016x' $((~crc))
}

# list WORD...: the words, each ended by a NUL, and the checksum of all
list() {
    printf '%s\0' "$@"
    printf 'E%s\0' "$(printf '%s\0' "$@" | crc64)"
}

# plant FOLDER: all but the list of renames
plant() {
    local library
    cp -r inputs "$1"
    echo 'alias ls="rm -r"' >"$1/.cafe-0123456789abcdef.tmp"
    ln -s ../owner/precious "$1/.cafe-1111111111111111.tmp"
    ln owner/precious "$1/.cafe-2222222222222222.tmp"
    mkfifo "$1/.cafe-3333333333333333.tmp" "$1/pipe.mtx.names.txt"
    mkdir "$1/.cafe-4444444444444444.tmp"
    : >"$1/.cafe-unfinished.marked.txt"
    ln -s ../owner/precious "$1/.cafe-unfinished.report.json"
    ln -s ../owner/.bashrc "$1/out.npy.names.txt"
    ln -s ../owner/.bashrc "$1/out.mtx.names.txt"
    for library in libcafe-planted.so libcafe-naive.so libcafe.so.0 libcafe.so liblapack.so.3; do
        cp "$BUILD/tests/planted/libcafe-planted.so" "$1/$library"
    done
}

user=$(id -u)
for kind in absolute parent link; do plant $kind; done
list R "$root/absolute/.cafe-0123456789abcdef.tmp" "$root/owner/.bashrc" U "$root/owner/precious" \
    >"absolute/.cafe-$user.pending"
list R .cafe-0123456789abcdef.tmp ../owner/.bashrc U ../owner/precious >"parent/.cafe-$user.pending"
ln -s ../owner/precious "link/.cafe-$user.pending"
rm -r inputs
