#!/usr/bin/env bash
# cafe reduce as a user runs it: tables, outputs, report, refusals, exit codes.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# a flat cloud of 120 points in five columns, with names of rows and columns
awk 'BEGIN { print "point,a,b,c,d,e"
    for (u = 0; u < 120; u++) { x = sin(u * 1.7) * 3; y = cos(u * 2.9) + u % 3
        printf "p%d,%.7f,%.7f,%.7f,%.7f,%.7f\n", u, x + 5, y, x + y, x - 2 * y, 3 * y - 1 } }' >t.in.csv

# ---- the main way
expect 0 "$CAFE" reduce t.in.csv -k 4 -o v.tsv --w w.tsv --json r.json
silent
says '120 rows, 5 columns; the first line names the columns, the first column names the rows'
says '2 columns, of rank 2'
says 'dominant eigenvectors'
only v.tsv w.tsv r.json
awk -F '\t' 'NF != 3 || (NR > 1 && $1 != "p" (NR - 2)) { exit 1 } END { exit NR != 121 }' v.tsv || fail "v.tsv"
[[ $(cut -f 1 w.tsv | xargs) == 'column a b c d e' ]] || fail "W's lines are not the table's columns"
json_check r.json
for key in schema version table path rows width heading row_names variance means method options seed \
    threads columns theta beta sweeps tolerance order chunks keep-empty converged objective trace \
    clusters masses columns_asked columns_held rank ritz_values residuals shares column_values \
    column_residuals projection_residuals eigenvalues orthogonality seconds peak_bytes; do
    grep -qE "^ *\"$key\": " r.json || fail "the report lacks $key"
done
[[ $(json_value r.json schema) == '"cafe/reduce/1"' ]] || fail "schema"
[[ $(json_value r.json columns) == 2 && $(json_value r.json order) == '"sequential"' ]] || fail "figures"
sed -nE 's/^ *"objective": \[(.*)\],?$/\1/p' r.json | tr -d ' ' | tr ',' '\n' >objective.in
awk 'NR > 1 && $1 < last - 1e-4 { bad = 1 } { last = $1 } END { exit bad || NR != 31 }' objective.in ||
    fail "the objective"
# the means of the columns are reported
sed -nE 's/^ *"means": \[(.*)\],?$/\1/p' r.json | tr -d ' ' | tr ',' '\n' >means.in
awk -F , 'NR > 1 { for (i = 2; i <= 6; i++) s[i] += $i / 120 }
    END { for (i = 2; i <= 6; i++) print s[i] }' t.in.csv | paste - means.in |
    awk '{ d = $1 - $2; if (d * d > 1e-8) exit 1 }' || fail "means"

# ---- all columns, both methods, both orders
for method in softmax sphere; do
    for order in sequential chunks; do
        expect 0 "$CAFE" reduce t.in.csv -q -k 4 --method $method --tune order=$order --tune keep-empty=yes \
            --sweeps 5 --seed 3 --no-heading -o $method-$order.tsv
        quiet
        awk -F '\t' 'NF != 5 { exit 1 }
            { for (i = 2; i <= 5; i++) for (j = i; j <= 5; j++) g[i, j] += $i * $j }
            END { for (i = 2; i <= 5; i++) for (j = i; j <= 5; j++)
                { d = g[i, j] - (i == j); if (d * d > 1e-8) exit 1 } }' $method-$order.tsv ||
            fail "$method-$order.tsv is not orthonormal"
    done
done
expect 0 "$CAFE" reduce t.in.csv -k 4 --tune keep-empty=yes -o k.tsv
says 'columns 3 to 4 carry no information'

# ---- the same bits for any threads; another seed, other bits
for threads in 1 2 3 8; do
    expect 0 "$CAFE" reduce t.in.csv -q -k 4 --tune chunks=7 -t $threads -o t$threads.npy --w w$threads.npy
    same t1.npy t$threads.npy
    same w1.npy w$threads.npy
done
[[ $(head -n 1 t1.npy.names.txt) == p0 && $(head -n 1 w1.npy.names.txt) == a ]] || fail "names"
expect 0 "$CAFE" reduce t.in.csv -q -k 4 --tune chunks=7 --seed 2 -o other.npy
! cmp -s t1.npy other.npy || fail "the seed does not matter"

# ---- standard input and output, gzip, plain numbers
tail -n +2 t.in.csv | cut -d , -f 2- | tr , ' ' >plain.in.txt
expect 0 "$CAFE" reduce plain.in.txt -k 4 -o plain.tsv
says 'no heading, no row names'
cut -f 2- plain.tsv >a.in
cut -f 2- v.tsv >b.in
same a.in b.in
gzip -c t.in.csv >t.in.csv.gz
expect 0 "$CAFE" reduce t.in.csv.gz -q -k 4 -o -
same .last/out v.tsv
expect 0 "$CAFE" reduce - -q -k 4 -o - <t.in.csv
same .last/out v.tsv
rm -f ./*.npy ./*.tsv ./*.json ./*.txt

# ---- refusals: exit code 3 with the place, 2 for usage, 1 for files; nothing is written
refused() {
    local place=$1
    printf '%b' "$2" >bad.in
    expect 3 "$CAFE" reduce bad.in -o out.npy --json out.json
    silent
    says "^cafe reduce: bad.in:$place: expected"
    only_inputs
}
refused 2:3 '1,2\n3,x\n'
refused 3:1 'x,y\n1,2\nNA,4\n'
refused 2:5 '1,2\n3,4,5\n'
refused 1:1 ''
expect 3 "$CAFE" reduce bad.in -q -o out.npy
printf 'x' | gzip -c | head -c 12 >cut.in.csv.gz
expect 3 "$CAFE" reduce cut.in.csv.gz -o out.npy
usage() {
    local text=$1
    shift
    expect 2 "$CAFE" reduce "$@"
    silent
    says "$text"
    only_inputs
}
usage 'no output: give' t.in.csv
usage 'missing argument' -o v.npy
usage 'the ending tells the format' t.in.csv -o v.xyz
usage 'the ending tells the format' t.in.csv --w v.odd
usage 'cannot both go to' t.in.csv -o v.npy --w v.npy
usage "--method takes one of .*, not 'pca'" t.in.csv -o v.npy --method pca
usage "--theta takes .*, not '-1'" t.in.csv -o v.npy --theta -1
usage "--columns takes .*, not '0'" t.in.csv -o v.npy -k 0
usage 'a chunk for each row' t.in.csv -o v.npy --tune order=sequential --tune chunks=3
expect 1 "$CAFE" reduce absent.csv -o v.npy
says 'absent.csv'
expect 1 "$CAFE" reduce t.in.csv -o nowhere/v.npy
says 'its folder does not exist'
only_inputs
echo kept >v.tsv
expect 1 "$CAFE" reduce t.in.csv -o v.tsv
says 'exists'
[[ $(cat v.tsv) == kept ]] || fail "v.tsv was overwritten"
expect 0 "$CAFE" reduce t.in.csv -f -q -o v.tsv
[[ $(wc -l <v.tsv) -eq 121 ]] || fail "-f does not overwrite"

# rows that are all alike: nothing to find, said as such
printf '1,2\n1,2\n1,2\n' >alike.in
expect 0 "$CAFE" reduce alike.in --json -
says 'the rows of the table are alike'
