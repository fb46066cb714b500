#!/usr/bin/env bash
# --sampling as a user runs it: reports that say which P, files, threads, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b < t && b - a < t) }'; }

# ---- the report says which P it is
for sampling in edge walk pagerank; do
    expect 0 "$CAFE" embed "$karate" --sampling $sampling -k 8 -o e.in.npy -f --json e.in.json
    silent
    json_check e.in.json
    [[ $(json_value e.in.json sampling) == "\"$sampling\"" ]] || fail "embed: sampling"
    [[ $(json_value e.in.json exact) == true ]] || fail "embed: exact"
    expect 0 "$CAFE" cluster "$karate" --sampling $sampling -o p.in.tsv -f --json c.in.json
    json_check c.in.json
    [[ $(json_value c.in.json sampling) == "\"$sampling\"" ]] || fail "cluster: sampling"
    [[ $(json_value e.in.json entries) -eq $(json_value c.in.json entries) ]] || fail "entries"
done
[[ $(json_value e.in.json entries) -eq $((34 * 34)) ]] || fail "PageRank's walks go everywhere"
near "$(json_value e.in.json damping)" 0.85 1e-12 || fail "damping"
near "$(json_value e.in.json truncation)" 0 1e-6 || fail "truncation"

# A walk of one step, and a walk that stops at once, are edges.
"$CAFE" cluster "$karate" -q -o edge.in.tsv --json edge.in.json
for one in '--sampling walk --window 1' '--sampling pagerank --damping 0'; do
    # shellcheck disable=SC2086
    expect 0 "$CAFE" cluster "$karate" -q $one -o one.in.tsv -f --json one.in.json
    same edge.in.tsv one.in.tsv
    [[ $(json_value one.in.json entries) -eq 156 ]] || fail "entries of $one"
done

# Every solver takes every sampling.
for sampling in walk pagerank; do
    for method in sphere cafe layers; do
        expect 0 "$CAFE" embed "$karate" --sampling $sampling --method $method -o m.in.npy -f
    done
    expect 0 "$CAFE" cluster "$karate" --sampling $sampling --method softmax -o m.in.tsv -f
done

# ---- drawn pairs: the error is reported, the seed decides, the threads do not
"$CAFE" generate planted --nodes 2000 --edges 9000 --mixing 0.2 -q -o g.in.txt
for threads in 1 2 3 8; do
    expect 0 "$CAFE" cluster g.in.txt -t $threads --sampling walk --tune samples=2e5 \
        -o t$threads.in.tsv --json t$threads.in.json
    says 'walk: .* entries, drawn'
    says '200,000 pairs; standard error'
    same t1.in.tsv t$threads.in.tsv
done
[[ $(json_value t1.in.json samples) -eq 200000 ]] || fail "samples"
[[ $(json_value t1.in.json exact) == false ]] || fail "drawn pairs are not exact"
near "$(json_value t1.in.json standard_error)" 0.00224 0.0001 || fail "standard error"
for key in pairs relative_error window samples budget; do
    grep -qE "^ *\"$key\": " t1.in.json || fail "the report lacks $key"
done
expect 0 "$CAFE" cluster g.in.txt -q --sampling walk --tune budget=1 --json small.in.json
[[ $(json_value small.in.json exact) == false ]] || fail "rows beyond the budget are drawn"
expect 0 "$CAFE" cluster g.in.txt -q --sampling walk --window 3 --json whole.in.json
[[ $(json_value whole.in.json exact) == true ]] || fail "rows within the budget are exact"

# ---- degree exponent: said in text and report, any sampling, any threads; files stay as they are
"$CAFE" convert g.in.txt g.in.cafe -q
cksum <g.in.cafe >before.in
for sampling in edge walk; do
    for threads in 1 2 3 8; do
        expect 0 "$CAFE" embed g.in.cafe -t $threads -k 8 --sampling $sampling --tune degree-exponent=0.25 \
            -o x$threads.in.npy -f --json x.in.json
        says 'edges weighed by 1/\(d_u d_w\)\^0\.25$'
        says '^bound +Q v = rho D v, degree exponent 0\.25:'
        same x1.in.npy x$threads.in.npy
    done
    near "$(json_value x.in.json degree-exponent)" 0.25 1e-12 || fail "options: exponent"
    for place in '"sampled"' '"certificate"'; do
        sed -n "/^  $place: {/,/^  }/p" x.in.json >place.in.json
        near "$(json_value place.in.json degree_exponent)" 0.25 1e-12 || fail "$place: exponent"
    done
done
cksum <g.in.cafe | cmp -s - before.in || fail "the mapped file was written to"
expect 0 "$CAFE" embed g.in.cafe -k 8 --tune degree-exponent=0 -o x0.in.npy
says '^bound +Q v = rho D v:'

# ---- seeds: walks begin there
printf '# the instructor\n 1 \n\n' >s.in.txt
expect 0 "$CAFE" cluster "$karate" --sampling pagerank --seeds s.in.txt --json s.in.json
says 'walks begin at 1 node$'
[[ $(json_value s.in.json seed_nodes) -eq 1 ]] || fail "seed_nodes"
[[ $(json_value s.in.json entries) -eq 67 ]] || fail "one row, one column and one diagonal entry"

# ---- attributes: by label, by name, by order
awk '!/^#/ { if (!($1 in d)) d[$1] = 1; if (!($2 in d)) d[$2] = 1 }
    END { for (u in d) print u, (u % 2 ? "odd" : "even") }' "$karate" >l.in.txt
expect 0 "$CAFE" cluster "$karate" --sampling twisted --tune measure=category --attributes l.in.txt \
    --tune twist-mean=0.9 --json l.in.json
says 'the measure has the average 0\.900000'
near "$(json_value l.in.json mean)" 0.9 1e-6 || fail "the wanted average"
expect 0 "$CAFE" cluster "$karate" --sampling twisted --tune measure=category --attributes l.in.txt \
    --tune lambda="$(json_value l.in.json lambda)" --json again.in.json
near "$(json_value again.in.json mean)" 0.9 1e-6 || fail "the same lambda, the same average"
expect 0 "$CAFE" cluster "$karate" -q --sampling twisted --tune measure=category --attributes l.in.txt \
    --tune lambda=0 -o zero.in.tsv
same zero.in.tsv edge.in.tsv
printf 'a b\nb c\nc d\nd a\n' >n.in.txt
printf 'name\tx\ty\nd\t0\t1\nc\t1\t0\nb\t1\t0\na\t0\t1\n' >n.in.tsv
printf '0 1\n1 0\n1 0\n0 1\n' >n.in.dat
for file in n.in.tsv n.in.dat; do
    expect 0 "$CAFE" cluster n.in.txt -q --sampling twisted --attributes $file --tune lambda=5 --no-heading -o - \
        --json $file.in.json
    [[ $(cut -f 2 .last/out | xargs) == '0 1 1 0' ]] || fail "$file: alike nodes belong together"
done
[[ $(json_value n.in.tsv.in.json mean) == "$(json_value n.in.dat.in.json mean)" ]] || fail "order"

# ---- refusals
refuse() { # CODE TEXT ARGUMENTS...
    local code=$1 text=$2
    shift 2
    expect "$code" "$CAFE" "$@" --json refused.json
    says "$text"
    silent
    [[ ! -e refused.json ]] || fail "a report of a refused run"
}
refuse 2 'needs --attributes' cluster "$karate" --sampling twisted
refuse 2 '\-\-window does not go with --sampling edge' embed "$karate" --window 3
refuse 2 '\-\-damping does not go with --sampling walk' embed "$karate" --sampling walk --damping 0.5
refuse 2 '\-\-seeds does not go with' cluster "$karate" --seeds s.in.txt
refuse 2 'not both' cluster "$karate" --sampling twisted --attributes l.in.txt --tune lambda=1 --tune twist-mean=0
refuse 2 '\-\-damping takes' cluster "$karate" --sampling pagerank --damping 1
for x in -0.1 0.51 nan half; do
    refuse 2 "degree-exponent takes a number from 0 to 0.5, not '$x'" embed "$karate" --tune "degree-exponent=$x"
done
refuse 2 'balance' embed "$karate" --balance yes
refuse 2 'one of edge' cluster "$karate" --sampling steps
printf '1\n99\n' >x.in.txt
refuse 3 'x\.in\.txt:2:1: expected the name of a node of the graph' cluster "$karate" --sampling walk --seeds x.in.txt
: >none.in.txt
refuse 3 'found none' cluster "$karate" --sampling walk --seeds none.in.txt
refuse 1 'cannot be opened' cluster "$karate" --sampling walk --seeds missing.in.txt
refuse 3 'expected a row for each of 34 nodes, found 4' cluster "$karate" --sampling twisted --attributes n.in.dat
printf 'name\tx\na\t1\na\t1\nb\t1\nc\t1\n' >twice.in.tsv
refuse 3 "found 'a' again" cluster n.in.txt --sampling twisted --attributes twice.in.tsv
printf 'name\tx\na\t1\nz\t1\nb\t1\nc\t1\n' >other.in.tsv
refuse 3 "found 'z'" cluster n.in.txt --sampling twisted --attributes other.in.tsv
only_inputs
