#!/usr/bin/env bash
# cafe plot -o MAP.npy as a user runs it: files, report, threads, refusals.
. "$SOURCE/tests/lib.sh"

expect 0 "$CAFE" generate sbm --nodes 900 --edges 9000 --blocks 3 --mixing 0.1 -q -o g.in.txt --labels l.in
expect 0 "$CAFE" embed g.in.txt -q --columns 8 -o e.in.npy

# ---- what is written and said
expect 0 "$CAFE" plot g.in.txt e.in.npy -o m.npy --json m.json
silent
says 'trustworthiness 0\.[89]|trustworthiness 1\.0'
json_check m.json
for key in schema graph columns options forces neighbours rounds repulsion quality nodes_looked_at nearest kept \
    trustworthiness map_seconds seconds; do
    grep -qE "^ *\"$key\": " m.json || fail "the report lacks $key"
done
[[ $(stat -c %s m.npy) -eq $((128 + 900 * 8)) ]] || fail "m.npy is not 900 x 2"
expect 0 "$CAFE" plot g.in.txt e.in.npy -q --no-heading -o m.tsv
quiet
silent
awk -F '\t' 'NF != 3 { exit 1 } { x += $2; y += $3; s += $2 * $2 + $3 * $3 }
    END { exit NR != 900 || x * x + y * y > 1 || (s / NR - 1) ^ 2 > 1e-3 }' m.tsv || fail "m.tsv"
only m.npy m.json m.tsv

# ---- blocks are islands: a point's block is that of the nearest of the three centres
awk -F '[\t ]+' 'NR == FNR { label[$1] = $2; next }
    { l = label[$1]; n[l]++; sx[l] += $2; sy[l] += $3; at[$1] = l; x[$1] = $2; y[$1] = $3 }
    END { for (u in at) { best = ""; for (l in n) { d = (x[u] - sx[l] / n[l]) ^ 2 + (y[u] - sy[l] / n[l]) ^ 2
              if (best == "" || d < least) { best = l; least = d } }
          good += best == at[u] }
          exit good < 0.95 * 900 }' l.in m.tsv || fail "the blocks are not apart"

# ---- the same bits for any number of threads, another map for another seed
for threads in 1 2 3 8; do
    expect 0 "$CAFE" plot g.in.txt e.in.npy -q -t $threads --tune forces=graph --tune rounds=30 -o t$threads.npy
    same t1.npy t$threads.npy
done
expect 0 "$CAFE" plot g.in.txt e.in.npy -q --seed 2 --tune forces=graph --tune rounds=30 -o s.npy
! cmp -s t1.npy s.npy || fail "the seed does not matter"

# ---- names, isolated nodes, standard output
printf '%s\n' 'a b' 'b c' 'a c' 'd d' >n.in
expect 0 "$CAFE" embed n.in -q --columns 2 -o n.in.tsv
expect 0 "$CAFE" plot n.in n.in.tsv -q --no-heading -o n.tsv
[[ $(cut -f 1 n.tsv | sort | xargs) == 'a b c d' ]] || fail "names"

# ---- refusals
expect 1 "$CAFE" plot g.in.txt e.in.npy -q -o m.npy
says 'exists'
expect 0 "$CAFE" plot g.in.txt e.in.npy -q -f --tune rounds=1 -o m.npy
expect 2 "$CAFE" plot g.in.txt e.in.npy
says 'no output: give'
expect 2 "$CAFE" plot g.in.txt -o x.npy
expect 2 "$CAFE" plot g.in.txt e.in.npy -o x.npy --tune forces=maybe
expect 2 "$CAFE" plot g.in.txt e.in.npy -o x.npy --tune rounds=-1
expect 2 "$CAFE" plot - - -o x.npy </dev/null
expect 2 "$CAFE" plot g.in.txt e.in.npy -o x.npy --json x.npy
expect 3 "$CAFE" plot n.in e.in.npy -o x.npy
expect 1 "$CAFE" plot nowhere e.in.npy -o x.npy
[[ ! -e x.npy ]] || fail "a refused run left a file"
