#!/usr/bin/env bash
# --engine and cafe version --verbose: which there are, the same vectors on another one, and what is refused.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

cp "$SOURCE/examples/karate.txt" g.in.txt
if posix_form; then export CAFE_ENGINE_PATH=$BUILD; fi # it does not know its own folder

# the list: the processor first, the naive one from beside the tool
expect 0 "$CAFE" version --probe
quiet
prints '^engine +processor: this machine'
prints '^engine +naive: plain loops on one thread, for tests, version 1$'
prints "libcafe-naive.so$"
expect 0 "$CAFE" version --verbose
prints "^engine +naive: /.*/libcafe-naive.so$"

# that of several processes is listed without MPI, which here could not begin
if [[ -e $BUILD/libcafe-petsc.so ]]; then
    OMPI_MCA_pml=none expect 0 "$CAFE" version --probe
    quiet
    prints '^engine +petsc: several processes by MPI, with PETSc [0-9.]+, version 1$'
fi

# what cannot be used says why; a relative folder is not looked into
mkdir folder.in
echo 'no library' >folder.in/libcafe-broken.so
CAFE_ENGINE_PATH=folder.in expect 0 "$CAFE" version --probe
! grep -q broken .last/out || fail 'a relative folder was looked into'
CAFE_ENGINE_PATH=folder.in:$PWD/folder.in expect 0 "$CAFE" version --probe
prints '^engine +broken: '
prints '^ +not usable: .*libcafe-broken.so'
CAFE_ENGINE_PATH=$PWD/folder.in expect 1 "$CAFE" embed g.in.txt --engine broken -o v.npy
says 'libcafe-broken.so'
expect 1 "$CAFE" embed g.in.txt --engine nothing -o v.npy
beside='/'
if posix_form; then beside="the library's folder \\(unknown here\\) nor in CAFE_ENGINE_PATH"; fi
says "there is no engine 'nothing': no libcafe-nothing.so in $beside"
expect 1 "$CAFE" embed g.in.txt --engine ../naive -o v.npy
says 'is no name of an engine'
only_inputs

# H is the same bit for bit; the report names the engine
for engine in processor naive cuda-emulated; do
    expect 0 "$CAFE" embed g.in.txt -k 5 --output-form raw --engine $engine -o $engine.in.npy --json $engine.in.json
    grep -q "\"engine\": \"$engine\"" $engine.in.json || fail "the report does not name $engine"
    expect 0 "$CAFE" cluster g.in.txt --method softmax -k 4 --engine $engine -o $engine.in.tsv --json c-$engine.in.json
    grep -q "\"engine\": \"$engine\"" c-$engine.in.json || fail "the report does not name $engine"
done
same processor.in.npy naive.in.npy
same processor.in.npy cuda-emulated.in.npy
same processor.in.tsv naive.in.tsv
same processor.in.tsv cuda-emulated.in.tsv

# the blocks are on the device: less is needed here
needs() { "$CAFE" embed g.in.txt -k 20 --engine "$1" --dry-run -q -f --json n.in.json >/dev/null && sed -n 's/.*"needed": \([0-9]*\).*/\1/p' n.in.json; }
(($(needs cuda-emulated) < $(needs processor))) || fail 'the blocks on a device are counted here'

# memory of a device: forecast, refused with what would fit, and where it ends in the middle of a run
expect 0 "$CAFE" embed g.in.txt -k 5 --engine cuda-emulated --dry-run
prints "of the device's memory; .* is left: it fits$"
CAFE_EMULATED_MEMORY=256010000 expect 4 "$CAFE" embed g.in.txt -k 20 --engine cuda-emulated --dry-run --json d.in.json
prints 'it does not fit$'
prints '^[0-9]+ columns would fit$'
grep -q '"device_available": 256010000' d.in.json || fail 'the report does not have the memory of the device'
CAFE_EMULATED_MEMORY=256010000 expect 4 "$CAFE" embed g.in.txt -k 20 --engine cuda-emulated -o v.npy
says "of the device's memory and .* is left: it does not fit; [0-9]+ columns would"
for bytes in 1000 4000 5000 7000; do
    CAFE_EMULATED_MEMORY=$bytes expect 4 "$CAFE" cluster g.in.txt --method softmax -k 9 --engine cuda-emulated -o v.tsv
    says 'the device has .* left, and .* GB'
done
only_inputs

# other methods are refused and do not run elsewhere
refuses() {
    expect 1 "$CAFE" "$@" --engine naive -o out.in
    says "on the processor alone, not on the engine 'naive'"
}
refuses cluster g.in.txt
refuses cluster g.in.txt --method softmax --tune rows=sparse -k 4
for method in layers gf deepwalk node2vec line hope grarep sdne spectral; do
    expect 1 "$CAFE" embed g.in.txt --method $method -k 4 --engine naive -o v.npy
    says "runs on the processor alone, not on the engine 'naive'"
done
expect 1 "$CAFE" embed g.in.txt -k 4 --propagate --engine naive -o v.npy
says "runs on the processor alone, not on the engine 'naive'"
only_inputs

# ---- engines that somebody planted: none of them is loaded
planted=$BUILD/tests/planted/libcafe-planted.so
ran=$SCRATCH/planted.ran.in
plant() { rm -rf "$1" && mkdir -p "$1" && cp "$planted" "$1"; }
# never COMMAND...: the planted engine is not loaded, whatever else the command does.
never() {
    rm -f "$ran"
    CAFE_PLANTED=$ran "$@" >.last/out 2>.last/err || true
    [[ ! -e $ran ]] || fail "the planted engine ran: $*"
}
embed() { "$1" embed "$SCRATCH/g.in.txt" -k 4 --engine planted -o v.npy; }
# refuses_planted FOLDER REASON: named in CAFE_ENGINE_PATH, it is listed as not usable, and not opened.
refuses_planted() {
    export CAFE_ENGINE_PATH=$1
    never "$CAFE" version --probe
    prints "not usable: .*libcafe-planted.so: .*$2"
    never "$CAFE" version --verbose
    prints "not usable: .*libcafe-planted.so: .*$2"
    never embed "$CAFE"
    says "libcafe-planted.so: .*$2"
    unset CAFE_ENGINE_PATH
}

# in the current folder, and beside a link to the tool or a name that is not the tool's
plant work.in
(
    cd work.in
    mkdir .last
    for path in '' . : ./ :.; do
        CAFE_ENGINE_PATH=$path never "$CAFE" version --probe
        CAFE_ENGINE_PATH=$path never embed "$CAFE"
        says "there is no engine 'planted'"
    done
)
plant beside.in
ln -s "$CAFE" beside.in/cafe
never "$PWD/beside.in/cafe" version --probe
never embed "$PWD/beside.in/cafe"
says "there is no engine 'planted'"
named() { (exec -a "$PWD/beside.in/other" "$CAFE" "$@"); }
never named version --probe
never embed named
says "there is no engine 'planted'"

# a folder, a file or a folder above it that others may write
plant fine.in/engines
for mode in 777 1777; do
    plant shared.in && chmod $mode shared.in
    refuses_planted "$PWD/shared.in" 'everybody may write .*shared.in$'
done
plant shared.in && chmod 775 shared.in && chgrp 12345 shared.in 2>/dev/null &&
    refuses_planted "$PWD/shared.in" 'its group may write .*shared.in$'
plant shared.in && chmod 666 shared.in/libcafe-planted.so
refuses_planted "$PWD/shared.in" 'everybody may write .*libcafe-planted.so$'
plant shared.in/engines && chmod 777 shared.in
refuses_planted "$PWD/shared.in/engines" 'everybody may write .*shared.in$'
chmod 1777 shared.in # others cannot rename what is not theirs
CAFE_ENGINE_PATH=$PWD/shared.in/engines expect 0 "$CAFE" version --verbose
prints '^engine +planted: '
! grep -q 'not usable: .*planted' .last/out || fail 'a folder below one such as /tmp is refused'
# links lead to where they lead
plant shared.in && chmod 777 shared.in
rm -rf links.in && mkdir links.in
ln -s "$PWD/shared.in/libcafe-planted.so" links.in/
refuses_planted "$PWD/links.in" 'everybody may write .*shared.in$'
rm -rf link.in && ln -s shared.in link.in
refuses_planted "$PWD/link.in" 'everybody may write .*shared.in$'
if [[ $(id -u) -eq 0 ]]; then
    plant shared.in && chown -R 65534 shared.in
    refuses_planted "$PWD/shared.in" 'another user'
    # with rights of somebody else the environment does not count
    cp "$CAFE" other.in && chown 65534 other.in && chmod u+s other.in
    export CAFE_ENGINE_PATH=$PWD/fine.in/engines
    never embed "$PWD/other.in"
    says 'CAFE_ENGINE_PATH is not set'
    rm -f other.in
    unset CAFE_ENGINE_PATH
fi

# one that nobody else may change is listed without being loaded, and loaded when it is asked for
export CAFE_ENGINE_PATH=$PWD/fine.in/engines
never "$CAFE" version --verbose
prints '^engine +planted: '
never "$CAFE" embed g.in.txt -k 4 -o v.npy
rm -f v.npy
CAFE_PLANTED=$ran expect 0 "$CAFE" version --probe
[[ -e $ran ]] || fail 'the planted engine does not show that it was loaded: this test cannot fail'
unset CAFE_ENGINE_PATH
only_inputs
