#!/usr/bin/env bash
# --memory-limit: vectors in files, the same bits, nothing left behind; refusals, the forecast.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

expect 0 "$CAFE" generate rmat --nodes 20000 --edges 100000 --seed 3 -q -o g.in.cafe
embed=("$CAFE" embed g.in.cafe -k 64 --sweeps 4)

# ---- the bits are those without a limit
expect 0 "${embed[@]}" -q -o plain.in.npy
numbers='1 3' storages='float16 bfloat16'
if sanitized_threads; then numbers=3 storages=float16; fi
for threads in $numbers; do
    expect 0 "${embed[@]}" --threads "$threads" --memory-limit 50M -o v.npy --json v.json
    says '^memory .* in files$'
    same plain.in.npy v.npy
    [[ $(json_value v.json file_bytes) -gt 10000000 ]] || fail "no files"
    if ! sanitized; then
        [[ $(json_value v.json peak_bytes) -lt $((50 << 20)) ]] || fail "more memory than the limit"
    fi
    sed -n '/^  "memory"/,/^  }/p' v.json >memory.in # the report has groups of columns too
    [[ $(json_value memory.in groups) == 1 && $(json_value memory.in fits) == true ]] || fail "groups"
    only v.npy v.json
    rm v.npy v.json
done
for storage in $storages; do # with a copy of 16 bits, and without where there is no room for one
    expect 0 "${embed[@]}" --tune "storage=$storage" -q -o stored.in.npy -f
    expect 0 "${embed[@]}" --tune "storage=$storage" --memory-limit 50M -o v.npy
    same stored.in.npy v.npy
    ! cmp -s plain.in.npy v.npy || fail "$storage: nothing was rounded"
    rm v.npy
done
mkdir scratch.in
expect 0 "${embed[@]}" --memory-limit 50M --scratch scratch.in --method cafe -o v.npy
mv v.npy limited.in.npy
expect 0 "${embed[@]}" --method cafe -q -o v.npy
same limited.in.npy v.npy
rm v.npy
rmdir scratch.in || fail "something was left in the folder"

# ---- the forecast
expect 0 "${embed[@]}" --dry-run --memory-limit 50M --json plan.json
prints 'with vectors in files it needs .* it fits'
prints 'a sweep reads and writes no files'
prints 'the run reads about .* at the measured [0-9]+ and [0-9]+ MB/s'
json_check plan.json
[[ $(json_value plan.json reads) -gt 0 && $(json_value plan.json disk_reads) != 0 ]] || fail "the plan"
rm plan.json

# ---- refusals
expect 4 "${embed[@]}" --memory-limit 20M -o v.npy
says 'the run needs .* with vectors in files .* at least, and 20.0 MiB is the limit: it does not fit'
expect 1 "${embed[@]}" --memory-limit 50M --scratch no/such/folder -o v.npy
says 'no/such/folder: No such file or directory'
expect 4 "$CAFE" embed g.in.cafe --memory-limit 30M --method deepwalk -o v.npy
says 'it does not fit'
only_inputs

# ---- a disk that is full, a file that may not grow
faults=$BUILD/tests/libfaults.so
if [[ -e $faults ]] && ! sanitized; then
    takes=posix_fallocate
    if posix_form; then takes='write'; fi # it takes the space by zeros
    for call in 0 1 2; do
        expect 4 env CAFE_FAULT=$takes:$call LD_PRELOAD="$faults" "${embed[@]}" \
            --memory-limit 50M -o v.npy
        says 'no room for a file of .* MB: No space left on device'
        only_inputs
    done
fi
got=0
(ulimit -f 1000 && "${embed[@]}" --memory-limit 50M -o v.npy) >.last/out 2>.last/err || got=$?
[[ $got -ne 0 ]] || fail "a file grew beyond its limit"
only_inputs

# ---- Ctrl-C
set -m
: >.last/err
"${embed[@]}" --sweeps 1000000 --tune tolerance=0 --memory-limit 50M -o v.npy >.last/out 2>.last/err &
job=$!
eventually grep -q '^sampling' .last/err
sleep 0.5
kill -INT $job
got=0
wait $job || got=$?
[[ $got -eq 130 ]] || fail "exit code $got instead of 130"
only_inputs

# ---- reading obeys the limit: what takes more is refused before it is taken
expect 0 "$CAFE" generate rmat --nodes 100000 --edges 2000000 --seed 3 -q -o big.in.txt
for command in 'info big.in.txt' 'embed big.in.txt -o v.npy'; do
    # shellcheck disable=SC2086
    expect 4 "$CAFE" $command --memory-limit 12M
    says 'the memory limit is 12.0 MB: .* MB are taken, and .* MB more are needed$'
done
expect 0 "$CAFE" info big.in.txt --memory-limit 400M
for name in - /dev/stdin; do
    expect 4 timeout 300 "$CAFE" info $name --memory-limit 100M < <(yes '1 2')
    says 'takes more than the memory limit leaves: [0-9]+ MB, and there is more'
done
only_inputs

# ---- a pipe that does not end: the run does, once the limit is reached
for name in - /dev/stdin; do
    expect 4 timeout 300 "$CAFE" embed $name --memory-limit 100M -k 4 -o v.npy < <(yes '1 2')
    says 'takes more than the memory limit leaves: [0-9]+ MB, and there is more'
    [[ ! -e v.npy ]] || fail 'a file is left'
done
