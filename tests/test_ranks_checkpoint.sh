#!/usr/bin/env bash
# --checkpoint with several processes: one of them is killed while it writes, again and again, with another number of
# them each time. The run ends on the processor, with the bits of one that was never stopped. shellcheck
# source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

faults=${BUILD:?}/tests/libfaults.so
several_processes
if [[ ! -e $faults ]] || ! grep -q '^CAFE_SANITIZE:STRING=$' "$BUILD/CMakeCache.txt"; then
    echo "skipped: no $faults, or a sanitizer that has to be loaded first"
    exit 77
fi

expect 0 "$CAFE" generate planted --nodes 5000 --edges 20000 -q -o g.in.cafe

# several WANT COMMAND...: killed at a call of fsync, of which process 0 makes two for each checkpoint
several() {
    local want=$1 ranks reached=0 now code
    shift
    for ranks in 3 1 2 4; do
        code=0
        timeout 300 mpirun -q -n $ranks env CAFE_FAULT=fsync:$((2 * ranks + ranks % 2)):kill LD_PRELOAD="$faults" \
            "$CAFE" "$@" -t1 --engine petsc --checkpoint ck -o out.tsv >.last/out 2>.last/err || code=$?
        [[ $code -ne 0 && $code -ne 124 ]] || fail "$ranks processes: exit code $code"
        [[ -e ck && ! -e out.tsv ]] || fail "$ranks processes: no checkpoint, or an output"
        now=$(sed -n 's/^resumes   after sweep \([0-9]*\).*/\1/p' .last/err)
        [[ $reached -eq 0 || $now -gt $reached ]] || fail "$ranks processes went on after '$now', not after $reached"
        reached=${now:-0}
    done
    expect 0 "$CAFE" "$@" --checkpoint ck -o out.tsv
    says '^resumes   after sweep [0-9]+'
    same out.tsv "$want"
    rm out.tsv
    only_inputs
}

sphere=(embed g.in.cafe -k 8 --sweeps 30 --tune tolerance=0 --columns-from top)
soft=(cluster g.in.cafe --method softmax -k 24 --sweeps 30 --tune tolerance=0)
expect 0 "$CAFE" "${sphere[@]}" -q -o sphere.in.tsv
expect 0 "$CAFE" "${soft[@]}" -q -o soft.in.tsv
several sphere.in.tsv "${sphere[@]}"
several soft.in.tsv "${soft[@]}"

# and from the processor to several processes, to the end where they write the same vectors
expect 137 env CAFE_FAULT=fsync:5:kill LD_PRELOAD="$faults" "$CAFE" "${sphere[@]}" --checkpoint ck -o out.npy
expect 0 "$CAFE" "${sphere[@]}" -q -o sphere.in.npy
expect 0 timeout 300 mpirun -q -n 3 "$CAFE" "${sphere[@]}" -t1 --engine petsc --checkpoint ck -o out.npy
says '^resumes   after sweep 3, from ck$'
same out.npy sphere.in.npy
only out.npy
