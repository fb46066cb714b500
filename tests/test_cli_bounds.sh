#!/usr/bin/env bash
# cafe explain as --eigenvector a user runs it: table, vectors, report, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- a graph the theorem says nothing of
expect 0 "$CAFE" explain --eigenvector "$karate" -o k.tsv --json k.json
says '34 nodes'
prints 'delta +1\.1236.*the theorem does not apply'
prints 'epsilon <= 1 - delta +no +no'
prints '^bounds +- +-$'
only k.tsv k.json
json_check k.json
for key in schema version graph options seed threads theta restarts sweeps tolerance lambda_1 \
    lambda_2 lambda_n delta objective best_start starts_converged plain centred rayleigh epsilon \
    cosine_x cosine_qx applies bound_x bound_qx bound_qx_published holds seconds; do
    grep -qE "^ *\"$key\": " k.json || fail "the report lacks $key"
done
[[ $(json_value k.json applies) == false && $(json_value k.json bound_x) == null ]] ||
    fail "a bound where there is none"
# unit vectors, and the report's cosine is that of the file
awk -F '\t' -v cosine="$(json_value k.json cosine_qx)" '
    NR == 1 { if ($0 != "node\tx\tqx\tv1\tx_centred") exit 1; next }
    { for (i = 2; i <= 5; i++) square[i] += $i * $i; product += $3 * $4 }
    END { if (NR != 35) exit 1
          for (i = 2; i <= 5; i++) if ((square[i] - 1) ^ 2 > 1e-18) exit 1
          exit (product - cosine) ^ 2 > 1e-18 }' k.tsv || fail "k.tsv"

# ---- one it speaks of: two blocks
expect 0 "$CAFE" generate sbm --nodes 200 --edges 2500 --blocks 2 --mixing 0.2 -q -o sbm.in.txt
expect 0 "$CAFE" explain --eigenvector sbm.in.txt -q --json s.json
quiet
prints 'below 1: the theorem can apply'
prints 'epsilon <= 1 - delta +no +yes'
prints '^bounds +- +hold$'
sed -n '/"centred"/,/}/p' s.json >centred.in
value() { json_value centred.in "$1"; }
[[ $(value holds) == true ]] || fail "the bounds do not hold"
awk "BEGIN { exit !($(value cosine_qx) >= 0.99 && $(value cosine_qx) >= $(value bound_qx) &&
    $(value bound_qx) > $(value bound_qx_published) && $(value cosine_x) >= $(value bound_x) &&
    $(value cosine_qx) >= $(value cosine_x)) }" || fail "cosines and bounds"

# ---- no positive eigenvalue at all
printf '%s\n' 'a "x ""y"' 'a c' '"x ""y" c' >triangle.in
expect 0 "$CAFE" explain --eigenvector triangle.in -q --json t.json -o t.tsv
prints 'no positive eigenvalue'
prints 'lambda_1 0,' # what is below rounding is 0
[[ $(json_value t.json delta) == null && $(json_value t.json epsilon) == null ]] || fail "infinite"
grep -q $'^"x ""y"\t' t.tsv || fail "a name with quotes"
rm ./*.json ./*.tsv

# ---- standard output
expect 0 "$CAFE" explain --eigenvector "$karate" -q --json -
prints '"schema": "cafe/bounds/1"'
! grep -q '^delta' .last/out || fail "table and report mixed"
expect 0 "$CAFE" explain --eigenvector - -q -o - <"$karate"
[[ $(wc -l <.last/out) -eq 35 ]] || fail "vectors on standard output"

# ---- the same bits for any number of threads; the seed matters
for threads in 1 2 3 8; do
    expect 0 "$CAFE" explain --eigenvector "$karate" -q -t $threads -o t$threads.tsv
    same t1.tsv t$threads.tsv
done
expect 0 "$CAFE" explain --eigenvector "$karate" -q --tune restarts=1 --seed 5 -o seed.tsv
! cmp -s <(cut -f 2 t1.tsv) <(cut -f 2 seed.tsv) || fail "the seed has no effect"

# ---- refusals
expect 1 "$CAFE" explain --eigenvector "$karate" -q -o t1.tsv
says 'exists'
expect 0 "$CAFE" explain --eigenvector "$karate" -q -f -o t1.tsv
expect 2 "$CAFE" explain --eigenvector "$karate" -o same --json same
expect 2 "$CAFE" explain --eigenvector
expect 2 "$CAFE" explain --eigenvector "$karate" --tune restarts=0
says 'restarts'
expect 2 "$CAFE" explain --eigenvector "$karate" --theta none
expect 1 "$CAFE" explain --eigenvector nowhere.txt
expect 3 "$CAFE" explain --eigenvector - <<<'a b c d e'
printf '%s\n' '0 0' >loop.in
expect 1 "$CAFE" explain --eigenvector loop.in
expect 1 "$CAFE" explain --eigenvector loop.in --self-loops keep
says 'two nodes'
