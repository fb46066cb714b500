#!/usr/bin/env bash
# --signed as a user gives it: what is read, reported, refused, and groups that are found again.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# three groups by u mod 3: positive edges inside, negative ones between
awk 'BEGIN { srand(1); for (i = 0; i < 900; i++) { u = int(90 * rand()); w = int(90 * rand());
    if (u != w) print u, w, (u % 3 == w % 3 ? 1 : -1) * (1 + i % 2) } }' >g.in.txt
expect 3 "$CAFE" embed g.in.txt -o v.in.npy
says 'a weight that is not negative'
expect 0 "$CAFE" embed g.in.txt --signed -k 8 -o v.in.npy --json v.in.json
says 'signs     [0-9]+ edges of negative weight, [67][0-9]\.[0-9]% of all weight'
json_check v.in.json
[[ $(json_value v.in.json signed) == true && $(json_value v.in.json negative_edges) -gt 300 ]] || fail report
expect 0 "$CAFE" cluster g.in.txt --signed --method softmax -k 3 -o p.in.tsv
[[ $(awk 'NR > 1 { print $1 % 3, $2 }' p.in.tsv | sort -u | wc -l) -eq 3 ]] || fail 'the groups are not found'

expect 2 "$CAFE" info g.in.txt --signed
says 'signed goes with embed, cluster and explain'
expect 0 "$CAFE" cluster g.in.txt --signed -o l.in.tsv
says 'with 3 communities'
[[ $(awk 'NR > 1 { print $1 % 3, $2 }' l.in.tsv | sort -u | wc -l) -eq 3 ]] || fail 'layers do not find the groups'
expect 1 "$CAFE" embed g.in.txt --signed --method netmf -o no.npy
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '2 2 1' '2 1 -1' >m.in.mtx
expect 1 "$CAFE" embed m.in.mtx --signed -o no.npy
printf '%s\n' node 95 96 >more.in.txt
expect 3 "$CAFE" embed g.in.txt --signed --nodes-from more.in.txt -o no.npy
says 'cannot be added'
only
