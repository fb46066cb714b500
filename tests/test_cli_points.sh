#!/usr/bin/env bash
# cafe points, --directed and the sides of cafe info as a user runs them.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# two rings of 60 points, one inside the other, with names
awk 'BEGIN { print "point,x,y"
    for (u = 0; u < 120; u++) { r = u % 2 ? 1 : 4; a = u * 0.05235988
        printf "%s%d,%.6f,%.6f\n", u % 2 ? "in" : "out", u, r * cos(a), r * sin(a) } }' >rings.in.csv

# ---- points, names, groups
expect 0 "$CAFE" points rings.in.csv --neighbours 4 -o g.cafe --json r.json
silent
says '120 rows, 2 columns, named rows'
says '120 nodes, [0-9]+ weighted edges, 2 components'
says 'search +exact'
only g.cafe r.json
json_check r.json
for key in schema version table path rows width row_names search options seed threads neighbours kernel \
    width mutual approximate graph nodes edges components directed seconds read link write peak_bytes; do
    grep -qE "^ *\"$key\": " r.json || fail "the report lacks $key"
done
[[ $(json_value r.json schema) == '"cafe/points/1"' ]] || fail "schema"
expect 0 "$CAFE" cluster g.cafe --resolution 0.05 --no-heading -o groups.tsv -q
[[ $(wc -l <groups.tsv) == 120 ]] || fail "groups.tsv"
sed -E 's/^(in|out)[0-9]+/\1/' groups.tsv | sort -u | wc -l | grep -qx 2 || fail "the rings are not the groups"
expect 0 "$CAFE" embed g.cafe -k 2 --no-heading -o v.tsv -q
[[ $(head -n 1 v.tsv | cut -f 1) == out0 ]] || fail "vectors without the rows' names"

# ---- kernels and ways; the same bits for any threads
for options in '--tune kernel=cosine' '--tune width=0.5' '--tune mutual=yes' '--tune approximate=yes'; do
    for threads in 1 3; do
        # shellcheck disable=SC2086
        expect 0 "$CAFE" points rings.in.csv $options -t $threads -o "w$threads.txt" -q -f
        quiet
    done
    same w1.txt w3.txt
done
expect 0 "$CAFE" points rings.in.csv --tune approximate=yes -o a.cafe
says 'search +approximate'

# ---- a matrix of similarities
printf '1 0.5 -1\n0.1 1 0\n-1 0 1\n' >s.in.txt
expect 0 "$CAFE" points --matrix s.in.txt -o s.txt
says 'self-loops keep'
# s = (sim + sim^T) / 2, least -1: a(0,1) = 1.3, a(1,2) = 1, a loop of 2 is w = 1
grep -v '^#' s.txt | sort >s.in.found
printf '0 0 1\n0 1 1.3\n1 1 1\n1 2 1\n2 2 1\n' | sort | cmp -s - s.in.found || fail "$(cat s.in.found)"
expect 0 "$CAFE" points --matrix s.in.txt -o d.txt --tune diagonal=no -q
[[ $(grep -vc '^#' d.txt) == 2 ]] || fail "--tune diagonal=no"
expect 0 "$CAFE" info s.txt --self-loops keep
prints 'self-loops kept'

# ---- usage and bad input
only g.cafe r.json groups.tsv v.tsv w1.txt w3.txt a.cafe s.txt d.txt
rm -f -- *.cafe *.json *.tsv *.txt.tmp w?.txt s.txt d.txt
expect 2 "$CAFE" points rings.in.csv
says 'give -o'
expect 2 "$CAFE" points rings.in.csv -o g.pdf
says 'ending'
expect 2 "$CAFE" points rings.in.csv -o g.cafe --tune diagonal=no
says 'no meaning without --matrix'
expect 2 "$CAFE" points --matrix s.in.txt -o g.cafe --neighbours 3
says 'no meaning with --matrix'
expect 2 "$CAFE" points rings.in.csv -o g.cafe --neighbours 0
expect 2 "$CAFE" points rings.in.csv -o g.cafe --tune kernel=box
expect 1 "$CAFE" points absent.csv -o g.cafe
expect 3 "$CAFE" points --matrix rings.in.csv -o g.cafe
says 'square'
printf '1 2\n0 0\n' >zero.in.txt
expect 3 "$CAFE" points zero.in.txt --tune kernel=cosine -o g.cafe
says 'zero.in.txt: row 1: expected a direction'
printf '1 2\n3 1e20\n' >large.in.txt
expect 3 "$CAFE" points large.in.txt -o g.cafe
says 'large.in.txt: row 1'
printf 'a,1,2\nb,3,4\na,5,6\n' >twice.in.csv
expect 3 "$CAFE" points twice.in.csv -o g.cafe
says "rows 0 and 2: expected names that differ, found 'a' twice"
printf 'a,1,2\nb,3\n' >ragged.in.csv
expect 3 "$CAFE" points ragged.in.csv -o g.cafe
says 'ragged.in.csv:2:'
only_inputs
printf '1 2\n' >one.in.txt
expect 0 "$CAFE" points one.in.txt -o g.txt
says 'no two rows are similar'
expect 1 "$CAFE" points rings.in.csv -o g.txt
says 'exists'
rm g.txt

# ---- directed edges
printf 'a c\nb c\na d\nb d\nc a\n' >arcs.in.txt
expect 0 "$CAFE" info arcs.in.txt --directed cocitation --json i.json
prints 'directed +cocitation: A A\^T \+ A\^T A'
[[ $(json_value i.json directed) == '"cocitation"' ]] || fail "the rule is not in the report"
expect 0 "$CAFE" info arcs.in.txt --directed sum
prints 'weights +1 to 2'
expect 0 "$CAFE" embed arcs.in.txt --directed flow -k 2 -o v.tsv --json e.json
says 'directed edges by the rule flow'
[[ $(json_value e.json directed) == '"flow"' ]] || fail "the rule is not in embed's report"
expect 0 "$CAFE" info arcs.in.txt
! grep -q directed .last/out || fail "a rule where none was asked for"
expect 0 "$CAFE" convert -q arcs.in.txt g.cafe
expect 3 "$CAFE" info g.cafe --directed sum
says 'g.cafe: expected a format that has directions, .*, found binary'
expect 2 "$CAFE" info arcs.in.txt --directed sideways

# ---- sides
printf '0 3\n1 3\n2 3\n2 4\n' >users.in.txt
expect 0 "$CAFE" info users.in.txt --json sides.json
prints 'bipartite +yes: 3 and 2 nodes'
[[ $(json_value sides.json bipartite) == true && $(json_value sides.json side_1) == 2 ]] || fail "sides"
printf '0 1\n1 2\n2 0\n' >triangle.in.txt
expect 0 "$CAFE" info triangle.in.txt
prints 'bipartite +no'
