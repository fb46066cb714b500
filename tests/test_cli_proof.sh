#!/usr/bin/env bash
# Bounds of cafe cluster: proofs, multipliers, and a checker that shares no code with the library.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# every report has a bound
expect 0 "$CAFE" cluster "$karate" -o p.in.tsv --json r.json
for key in bound gap proved; do grep -qE "^  \"$key\": " r.json || fail "the report lacks $key"; done
awk -v b="$(json_value r.json bound)" -v q="$(json_value r.json modularity)" 'BEGIN { exit !(b >= q - 1e-9) }' ||
    fail 'the bound is below the modularity'
# asked for: the karate club's best partition is proved to be one
expect 0 "$CAFE" cluster "$karate" --bound -f -o p.in.tsv --bound-file m.in.tsv --json r.json
says 'proved optimal'
[[ $(json_value r.json proved) == true ]] || fail 'karate is not proved'
awk -v gap="$(json_value r.json gap)" 'BEGIN { exit !(gap < 1e-9) }' || fail "gap: $(json_value r.json gap)"
[[ $(head -n 1 m.in.tsv) == $'case\tcentre\tleaf1\tleaf2\tleaf3\tleaf4\tmultiplier' ]] || fail "heading: $(head -n 1 m.in.tsv)"
for threads in 1 3; do
    expect 0 "$CAFE" cluster "$karate" -q -t $threads --bound-file m$threads.in.tsv
    same m.in.tsv m$threads.in.tsv
done
# a search of high effort is followed by one for a bound, better than that of pairs
expect 0 "$CAFE" cluster "$karate" --json quick.json
expect 0 "$CAFE" cluster "$karate" --effort high --json high.json
awk -v a="$(json_value high.json bound)" -v b="$(json_value quick.json bound)" -v q="$(json_value r.json modularity)" \
    'BEGIN { exit !(a < b - 0.05 && a > q - 1e-9) }' || fail "high effort: $(json_value high.json bound)"
# up to 12 nodes: the optimum, unasked
printf 'a b\nb c\nc a\nc d\nd e\ne f\nf d\n' >six.in.txt
expect 0 "$CAFE" cluster six.in.txt -o six.in.tsv --json six.json
says 'proved optimal'
[[ $(json_value six.json proved) == true ]] || fail 'six nodes are not proved'
# no pair of nodes to bound: every node is a community
seq 20 | sed 's/.*/n& n&/' >loops.in.txt
expect 0 timeout 60 "$CAFE" cluster loops.in.txt --header no --self-loops keep --bound --json loops.json
[[ $(json_value loops.json proved) == true ]] || fail 'nodes with loops alone are not proved'
expect 2 "$CAFE" cluster "$karate" --bound-file m.in.xyz
says 'the ending tells the format'
rm ./*.json

if ! command -v python3 >/dev/null; then
    echo "skipped: no python3, so the multipliers are not checked"
    exit 77
fi
# checked FILES...: what the checker says
checked() { python3 "$SOURCE/examples/check_bound.py" "$@" >.last/out 2>.last/err || fail "check_bound.py $*"; }
grep -v '^#' "$karate" >karate.in.txt
checked karate.in.txt p.in.tsv m.in.tsv
prints '^modularity 0.419789612, no partition has more than 0.4197[89][0-9]*: proved optimal$'
# a partition that is worse, or multipliers that are fewer, prove nothing
awk 'NR > 1 { $2 = $2 % 2 } { print }' p.in.tsv >worse.in.tsv
checked karate.in.txt worse.in.tsv m.in.tsv
! grep -q proved .last/out || fail 'a worse partition is proved'
head -n 20 m.in.tsv >few.in.tsv
checked karate.in.txt p.in.tsv few.in.tsv
! grep -q proved .last/out || fail 'few multipliers prove it'
# no multiplier may be negative
sed '2s/[^\t]*$/-0.001/' m.in.tsv >negative.in.tsv
! python3 "$SOURCE/examples/check_bound.py" karate.in.txt p.in.tsv negative.in.tsv >.last/out 2>&1 || fail 'negative'
# a proof by cases, and what is missing without one of them
for edge in 0,1 0,2 0,5 0,6 0,8 1,3 1,5 1,8 1,12 2,4 2,5 2,7 2,10 3,9 3,11 4,8 4,11 5,9 5,11 6,7 6,9 6,12 7,11 8,9 \
    8,12 9,10 9,12 10,11 11,12; do
    echo "${edge/,/ }"
done >cases.in.txt
expect 0 "$CAFE" cluster cases.in.txt -q -o cases.in.tsv --bound-file cases.in.m.tsv
grep -q together cases.in.m.tsv || fail 'no cases'
checked cases.in.txt cases.in.tsv cases.in.m.tsv
prints 'proved optimal$'
awk '$1 != 1' cases.in.m.tsv >fewer.in.tsv
! python3 "$SOURCE/examples/check_bound.py" cases.in.txt cases.in.tsv fewer.in.tsv >.last/out 2>&1 || fail 'a case less'
# a bound above the modularity by less than a step of modularities at resolution 3/2, which is half of that at 1
for edge in 6,1 7,1 5,0 6,5 8,6 4,3 3,0 2,0 7,2 3,2 8,3 5,1 5,3 1,0 5,4 8,1 8,5 8,4 3,1 7,3 6,0 4,1 8,0 7,5 5,2 7,0; do
    echo "${edge/,/ }"
done >step.in.txt
expect 0 "$CAFE" cluster step.in.txt --resolution 1.5 -q -o step.in.tsv --bound-file step.in.m.tsv
checked step.in.txt step.in.tsv step.in.m.tsv 1.5
prints 'proved optimal$'
# weights and resolution; small graphs too if the multipliers are asked for
awk '{ print $1, $2, 1 + ($1 * $2) % 3 }' karate.in.txt >weighted.in.txt
for resolution in 1 0.5; do
    for graph in karate weighted six; do
        expect 0 "$CAFE" cluster $graph.in.txt --resolution $resolution --bound -q -f -o w.in.tsv --bound-file w.in.m.tsv --json w.json
        checked $graph.in.txt w.in.tsv w.in.m.tsv $resolution
        read -r _ found _ _ _ _ _ bound _ < <(tr -d ',:' <.last/out)
        awk -v a="$found" -v b="$(json_value w.json modularity)" 'BEGIN { exit !((a - b) ^ 2 < 1e-12) }' ||
            fail "$graph at $resolution: modularity $found"
        awk -v a="$bound" -v b="$(json_value w.json bound)" 'BEGIN { exit !(b < a + 1e-6) }' ||
            fail "$graph at $resolution: bound $bound"
        [[ $graph == six || $(json_value w.json proved) == true ]] || echo "$graph at $resolution is not proved"
    done
done
