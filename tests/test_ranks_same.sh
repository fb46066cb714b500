#!/usr/bin/env bash
# Several processes of one run are given one run: a difference of options, inputs or outputs ends all of them before any
# work, with one message that names it. What mpirun or srun started without an engine that joins processes is refused.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

several_processes
"$CAFE" generate sbm --nodes 5000 --edges 15000 --blocks 6 --seed 1 -o g.in.cafe --labels labels.in.tsv -q
"$CAFE" generate sbm --nodes 5000 --edges 15000 --blocks 6 --seed 2 -o h.in.cafe -q
"$CAFE" convert g.in.cafe g.in.txt -q
sed '9000s/.*/17 4711/' g.in.txt >h.in.txt # another edge in as many bytes
"$CAFE" embed g.in.cafe -k 8 --sweeps 1 -o start.in.npy -q
sed '2s/.$/9/' labels.in.tsv >other.in.tsv
cp g.in.cafe copy.in.cafe

# apart "WORDS" "WORDS": two processes with the first words, one with the others; the limit is against hanging
apart() {
    # shellcheck disable=SC2086
    timeout 300 mpirun -q -n 2 "$CAFE" $1 -t 1 --engine petsc -q : -n 1 "$CAFE" $2 -t 1 --engine petsc -q
}

# differ CODE MESSAGE WORDS WORDS: ends with the code, prints the message once, and writes nothing
differ() {
    expect "$1" apart "$3" "$4"
    [[ $(grep -cE -- "$2" .last/err) -eq 1 ]] || fail "'$2' is not said once"
    [[ $(grep -c '^cafe' .last/err) -eq 1 ]] || fail 'more than one message'
    only_inputs
    [[ -z $(find . -name '.cafe-*') ]] || fail 'a temporary file is left'
}

run='embed g.in.cafe -o v.npy --sweeps 2 --tune=chunks=16'

# ---- options -------------------------------------------------------------------------------------

differ 1 'rank 2 was given --seed 5, rank 0 --seed 4$' "$run --seed 4" "$run --seed 5"
differ 1 'rank 2 was given --seed 5, rank 0 no --seed$' "$run" "$run --seed 5"
for columns in '8 9' '64 8' '3 40'; do
    differ 1 "rank 2 was given --columns ${columns#* }, rank 0 --columns ${columns% *}\$" "$run -k ${columns% *}" "$run -k ${columns#* }"
done
differ 1 'rank 2 was given --method spectral, rank 0 --method cafe$' "embed g.in.cafe -o v.npy --method cafe" "embed g.in.cafe -o v.npy --method spectral"
differ 1 'rank 2 was given --output w.npy, rank 0 --output v.npy$' "$run" "${run/v.npy/w.npy}"
differ 1 'rank 2 was given --json r.json, rank 0 no --json$' "$run" "$run --json r.json"
differ 1 'rank 2 was given --sampling pagerank, rank 0 --sampling walk$' "$run --sampling walk" "$run --sampling pagerank"
differ 1 'rank 2 was given --columns-from both, rank 0 no --columns-from$' "$run" "$run --columns-from both"
differ 1 'rank 2 was given --reorder degree, rank 0 no --reorder$' "convert g.in.txt v.cafe" "convert g.in.txt v.cafe --reorder degree"
differ 1 'rank 2 was given OUT w.cafe, rank 0 OUT v.cafe$' "convert g.in.txt v.cafe" "convert g.in.txt w.cafe"
differ 1 'rank 2 was given the command cluster, rank 0 the command embed$' "$run" 'cluster g.in.cafe -o v.tsv'

# another build of the program
# shellcheck disable=SC2086
build_differs() { timeout 300 mpirun -q -n 1 "$CAFE" $run --engine petsc -q : -n 1 ./other.in.program $run --engine petsc -q; }
if ! posix_form; then # which does not know the program's own file
    cp "$CAFE" other.in.program
    echo >>other.in.program
    expect 1 build_differs
    says '^cafe embed: rank 1 was given the program of [0-9]+ bytes with the checksum .*, rank 0 the program of '
    only_inputs
    rm other.in.program
fi

# ---- inputs --------------------------------------------------------------------------------------

differ 1 'rank 2 was given GRAPH of [0-9]+ bytes with the checksum [0-9a-f]{16}, rank 0 GRAPH of ' "$run" "${run/g.in/h.in}"
differ 1 'rank 2 was given IN of ' 'convert g.in.txt v.cafe' 'convert h.in.txt v.cafe'
differ 1 'rank 2 was given --labels of ' "$run --method cafe --labels labels.in.tsv" "$run --method cafe --labels other.in.tsv"
differ 1 'rank 2 was given no --labels, rank 0 --labels$' "$run --method cafe --labels labels.in.tsv" "$run --method cafe"
cp start.in.npy turned.in.npy
printf '\x3f' | dd of=turned.in.npy bs=1 seek=4099 conv=notrunc status=none
differ 1 'rank 2 was given --start of ' "$run --start start.in.npy" "$run --start turned.in.npy"
mkfifo pipe.in
differ 1 'pipe.in: is no file that several processes can read' "$run --method cafe --labels pipe.in" "$run --method cafe --labels pipe.in"

# the same bytes elsewhere, other numbers of threads, values written in another way
expect 0 apart "$run --tune tolerance=0.001 -v" "embed copy.in.cafe --output=v.npy --tune=chunks=16 --sweeps=2 --tune tolerance=1e-3 -v -t 2"
rm v.npy

# ---- no engine -----------------------------------------------------------------------------------

for words in 'embed g.in.cafe -o v.npy' 'generate ba -o v.cafe' 'info g.in.cafe'; do
    # shellcheck disable=SC2086
    expect 2 timeout 300 mpirun -q -n 3 "$CAFE" $words
    [[ $(grep -c 'one of 3 processes' .last/err) -eq 1 ]] || fail 'not said once'
    silent
    only_inputs
done
says 'this command runs in one process'
expect 2 timeout 300 mpirun -q -n 3 "$CAFE" cluster g.in.cafe -o v.tsv
says '--engine petsc joins them'
expect 0 timeout 300 mpirun -q -n 3 "$CAFE" version
expect 0 timeout 300 mpirun -q -n 3 "$CAFE" help embed
expect 0 timeout 300 mpirun -q -n 3 "$CAFE" embed --help
expect 0 timeout 300 mpirun -q -n 1 "$CAFE" cluster g.in.cafe -o v.tsv -q
rm v.tsv

# by the variables of other launchers; a shell or a batch script of Slurm is one process
alone() { env "${@:1:$#-1}" "$CAFE" cluster g.in.cafe -o v.tsv -q; }
for set in 'PMI_SIZE=4 PMI_RANK=0' 'SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0' 'PMIX_RANK=2 PMIX_NAMESPACE=x' \
    'SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=3'; do
    # shellcheck disable=SC2086
    expect 2 alone $set x
done
for set in 'PMI_SIZE=1 PMI_RANK=0' 'SLURM_NTASKS=8 SLURM_PROCID=0' 'SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=8 SLURM_PROCID=0' \
    'PMIX_RANK=0' 'OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0' 'PMI_SIZE= PMI_RANK='; do
    # shellcheck disable=SC2086
    expect 0 alone $set x
    rm v.tsv
done
only_inputs
