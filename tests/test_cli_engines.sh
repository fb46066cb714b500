#!/usr/bin/env bash
# --engine and cafe engines: which there are, the same vectors on another one, and what is refused.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

cp "$SOURCE/examples/karate.txt" g.in.txt

# the list: the processor first, the naive one from beside the tool
expect 0 "$CAFE" engines
quiet
prints '^processor +this machine'
prints '^naive +plain loops on one thread, for tests, version 1$'
prints "libcafe-naive.so$"

# that of several processes is listed without MPI, which here could not begin
if [[ -e $BUILD/libcafe-petsc.so ]]; then
    OMPI_MCA_pml=none expect 0 "$CAFE" engines
    quiet
    prints '^petsc +several processes by MPI, with PETSc [0-9.]+, version 1$'
fi

# what cannot be used says why; a relative folder is not looked into
mkdir folder.in
echo 'no library' >folder.in/libcafe-broken.so
CAFE_ENGINE_PATH=folder.in expect 0 "$CAFE" engines
! grep -q broken .last/out || fail 'a relative folder was looked into'
CAFE_ENGINE_PATH=folder.in:$PWD/folder.in expect 0 "$CAFE" engines
prints '^broken'
prints '^ +not usable: .*libcafe-broken.so'
CAFE_ENGINE_PATH=$PWD/folder.in expect 1 "$CAFE" embed g.in.txt --engine broken -o v.npy
says 'libcafe-broken.so'
expect 1 "$CAFE" embed g.in.txt --engine nothing -o v.npy
says "there is no engine 'nothing': no libcafe-nothing.so in /"
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

# memory of a device: foretold, refused with what would fit, and where it ends in the middle of a run
expect 0 "$CAFE" embed g.in.txt -k 5 --engine cuda-emulated --dry-run
prints "of the device's memory; .* is left: it fits$"
CAFE_EMULATED_MEMORY=256010000 expect 1 "$CAFE" embed g.in.txt -k 20 --engine cuda-emulated --dry-run --json d.in.json
prints 'it does not fit$'
prints '^[0-9]+ columns would fit$'
grep -q '"device_available": 256010000' d.in.json || fail 'the report does not have the memory of the device'
CAFE_EMULATED_MEMORY=256010000 expect 1 "$CAFE" embed g.in.txt -k 20 --engine cuda-emulated -o v.npy
says "of the device's memory and .* is left: it does not fit; [0-9]+ columns would"
for bytes in 1000 4000 5000 7000; do
    CAFE_EMULATED_MEMORY=$bytes expect 1 "$CAFE" cluster g.in.txt --method softmax -k 9 --engine cuda-emulated -o v.tsv
    says 'the device has .* left, and .* GB'
done
only_inputs

# other methods say so and do not run elsewhere
refuses() {
    expect 1 "$CAFE" "$@" --engine naive -o out.in
    says "on the processor alone, not on the engine 'naive'"
}
refuses cluster g.in.txt
refuses cluster g.in.txt --method softmax --rows sparse -k 4
for method in layers gf deepwalk node2vec line hope grarep sdne spectral; do
    expect 1 "$CAFE" embed g.in.txt --method $method -k 4 --engine naive -o v.npy
    says "runs on the processor alone, not on the engine 'naive'"
done
expect 1 "$CAFE" embed g.in.txt -k 4 --propagate --engine naive -o v.npy
says "runs on the processor alone, not on the engine 'naive'"
only_inputs
