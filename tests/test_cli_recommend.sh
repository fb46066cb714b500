#!/usr/bin/env bash
# cafe recommend as a user runs it: lists, sides, evaluation, report, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- lists: named nodes in their order, k each, sorted, nothing that is linked already
expect 0 "$CAFE" recommend "$karate" --node 33,0,5 -k 4 --json r.json
says '34 nodes'
[[ $(cut -f 1 .last/out | uniq | xargs) == 'node 33 0 5' && $(wc -l <.last/out) -eq 13 ]] ||
    fail "three lists of four"
awk -F '\t' 'FNR == NR { if (!/^[#%]/) { split($0, e, " "); link[e[1], e[2]] = link[e[2], e[1]] = 1 }; next }
    FNR > 1 && (($1, $3) in link || $1 == $3) { exit 1 }
    FNR > 1 && $2 > 1 && $4 > last { exit 1 }
    { last = $4 }' "$karate" .last/out || fail "a link again, or not sorted"
json_check r.json
for key in schema version graph sampling options seed top score linked sides columns decode \
    residual bipartite vector_columns recommendations list seconds; do
    grep -qE "^ *\"$key\": " r.json || fail "the report lacks $key"
done
[[ $(json_value r.json bipartite) == false ]] || fail "karate has triangles"
printf '%s\n' 5 33 0 >some.in
expect 0 "$CAFE" recommend "$karate" -q --nodes-file some.in -k 4 -o some.tsv
[[ $(cut -f 1 some.tsv | uniq | xargs) == 'node 0 5 33' ]] || fail "a file's nodes, in node order"
expect 0 "$CAFE" recommend "$karate" -q -k 40 --tune linked=yes
[[ $(wc -l <.last/out) -eq $((34 * 33 + 1)) ]] || fail "everybody but oneself"

# ---- vectors from a file are multiplied as they are
expect 0 "$CAFE" embed "$karate" -q -k 8 --tune degree-exponent=0 --output-form raw -o x.npy
expect 0 "$CAFE" recommend "$karate" -q --node 0 -k 40 --tune linked=yes --embedding x.npy
cut -f 3,4 .last/out >file.in
expect 0 "$CAFE" recommend "$karate" -q --node 0 -k 40 --tune linked=yes --columns 8 --tune decode=raw --score product
cut -f 3,4 .last/out >own.in
same file.in own.in
expect 0 "$CAFE" embed "$karate" -q -k 8 --tune degree-exponent=0 --output-form raw --no-heading -o x.tsv
tac x.tsv >turned.in.tsv
rm x.tsv
expect 0 "$CAFE" recommend "$karate" -q --node 0 -k 40 --tune linked=yes --embedding turned.in.tsv
cut -f 3,4 .last/out >turned.in
same file.in turned.in
for score in covariance common popularity; do
    expect 0 "$CAFE" recommend "$karate" -q --node 0 -k 3 --tune linked=yes --score $score
    [[ $(wc -l <.last/out) -eq 4 ]] || fail "$score"
done
[[ $(sed -n 2p .last/out | cut -f 3) == 33 ]] || fail "node 33 is the most popular"

# ---- two sides: users u0.., items i0..; two tastes
awk 'BEGIN { srand(4); for (u = 0; u < 60; u++) for (j = 0; j < 12; j++)
    print "u" u, "i" 2 * int(rand() * 20) + (rand() < 0.9 ? u % 2 : 1 - u % 2) }' >ratings.in
expect 0 "$CAFE" recommend ratings.in --node u0 -k 5 --columns 8
says 'bipartite: 60 and 40 nodes'
! sed 1d .last/out | cut -f 3 | grep -q ^u || fail "a user for a user"
expect 0 "$CAFE" recommend ratings.in -q --node i3 -k 5 --columns 8
! sed 1d .last/out | cut -f 3 | grep -q ^i || fail "an item for an item"
expect 0 "$CAFE" recommend ratings.in -q --node u0 -k 99 --columns 8 --tune sides=no --tune linked=yes
[[ $(wc -l <.last/out) -eq 100 ]] || fail "--tune sides=no"

# ---- evaluation: better than popularity, reproducible, the seed matters
expect 0 "$CAFE" recommend ratings.in --score product --evaluate 0.2 -k 5 --columns 4 --json e.json
says 'hidden +[0-9]+ of [0-9]+ edges'
json_check e.json
for key in share hidden evaluation nodes recall hit mrr auc; do
    grep -qE "^ *\"$key\": " e.json || fail "the report lacks $key"
done
[[ $(cut -f 1 .last/out | xargs) == 'score product popularity common' ]] || fail "three scores"
awk -F '\t' 'NR == 1 && $2 != "recall@5" { exit 1 } NR == 2 { own = $2 } NR == 3 { exit !(own > $2) }
    NR > 1 { for (i = 2; i <= 5; i++) if (!($i > 0 && $i <= 1)) exit 1 }' .last/out ||
    fail "figures of the evaluation"
cp .last/out first.in
for threads in 1 3 8; do
    expect 0 "$CAFE" recommend ratings.in -q --score product --evaluate 0.2 -k 5 --columns 4 -t $threads
    same first.in .last/out
done
expect 0 "$CAFE" recommend ratings.in -q --score product --evaluate 0.2 -k 5 --columns 4 --seed 2
! cmp -s first.in .last/out || fail "the seed has no effect"
expect 0 "$CAFE" recommend ratings.in -q --evaluate 0.2 --score common -o common.tsv
[[ $(wc -l <common.tsv) -eq 3 ]] || fail "a baseline is not listed twice"

# ---- the score is chosen by hidden edges: triangles speak for common neighbours
awk 'BEGIN { for (g = 0; g < 30; g++) for (i = 0; i < 6; i++) { for (j = i + 1; j < 6; j++) print 6 * g + i, 6 * g + j
    print 6 * g + i, (6 * g + i + 7) % 180 } }' >cliques.in
expect 0 "$CAFE" recommend cliques.in --node 0 -k 4 --columns 4 --json chosen.json
says 'score +common: recall@4'
json_check chosen.json
[[ $(json_value chosen.json score) == '"common"' ]] || fail "the report does not name the score"
cut -f 3,4 .last/out >chosen.in
for threads in 1 2 3; do
    expect 0 "$CAFE" recommend cliques.in -q --node 0 -k 4 --columns 4 -t $threads
    cut -f 3,4 .last/out >again.in
    same chosen.in again.in
done
expect 0 "$CAFE" recommend cliques.in -q --node 0 -k 4 --score common
cut -f 3,4 .last/out >common.in
same chosen.in common.in

# ---- rows of vectors belong to their names, in any order
printf '%s\n' 'ann bob' 'bob carl' 'carl dora' 'dora ann' 'dora eve' >named.in
expect 0 "$CAFE" embed named.in -q -k 2 --no-heading -o named.tsv
tac named.tsv >turned.tsv
for vectors in named.tsv turned.tsv; do
    expect 0 "$CAFE" recommend named.in -q --node ann -k 3 --tune sides=no --embedding $vectors
    cp .last/out $vectors.in
done
same named.tsv.in turned.tsv.in

# ---- the same bits for any number of threads
for threads in 1 2 3 8; do
    expect 0 "$CAFE" recommend ratings.in -q -k 7 -t $threads -o t$threads.tsv
    same t1.tsv t$threads.tsv
done

# ---- refusals
expect 1 "$CAFE" recommend "$karate" -q -o t1.tsv
says 'exists'
expect 0 "$CAFE" recommend "$karate" -q -f -o t1.tsv
expect 1 "$CAFE" recommend "$karate" --node nobody
says "no node 'nobody'"
printf '%s\n' 0 nobody >bad.in
expect 3 "$CAFE" recommend "$karate" --nodes-file bad.in
says 'bad.in:2:1: '
expect 3 "$CAFE" recommend ratings.in --embedding x.npy
says 'expected a row for each of 100 nodes, found 34'
expect 2 "$CAFE" recommend
expect 2 "$CAFE" recommend "$karate" --node 0 --nodes-file bad.in
says 'give --node or --nodes-file, not both'
expect 2 "$CAFE" recommend "$karate" -k 0
expect 2 "$CAFE" recommend "$karate" --score taste
for share in 0 1 -1 x nan 0.1x; do
    expect 2 "$CAFE" recommend "$karate" --evaluate=$share
done
expect 2 "$CAFE" recommend "$karate" --evaluate 0.1 --embedding x.npy
says 'have seen the hidden edges'
expect 2 "$CAFE" recommend "$karate" --score common --embedding x.npy
expect 2 "$CAFE" recommend "$karate" -o same --json same
expect 1 "$CAFE" recommend nowhere.txt
expect 3 "$CAFE" recommend - <<<'a b c d e'
printf '%s\n' '0 1' '1 2' >path.in
expect 1 "$CAFE" recommend path.in --evaluate 0.5
says 'fall apart'
