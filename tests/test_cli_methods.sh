#!/usr/bin/env bash
# cafe embed with the methods others published: columns, reports, threads, the last step, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

"$CAFE" generate sbm --nodes 120 --edges 900 --blocks 3 --mixing 0.1 -q -o g.in.txt --labels l.in.txt

few=(--tune walks=4 --tune length=10)
for method in gf deepwalk node2vec line hope grarep sdne spectral netmf prone fastrp; do
    options=(--method "$method" -k 8)
    [[ $method != deepwalk && $method != node2vec ]] || options+=("${few[@]}")
    [[ $method != sdne ]] || options+=(--tune epochs=3 --tune hidden=16)
    expect 0 "$CAFE" embed g.in.txt "${options[@]}" -o $method.tsv --json $method.json
    says "^$method +.*loss"
    says '8 columns, raw form'
    json_check $method.json
    [[ $(json_value $method.json method) == "\"$method\"" ]] || fail "$method: the report's method"
    grep -q '"loss": \[' $method.json || fail "$method: no loss in the report"
    grep -q '"ritz_values": \[' $method.json || fail "$method: not certified"
    awk -F '\t' 'NF != 9 { exit 1 } END { exit NR != 121 }' $method.tsv || fail "$method: 120 rows of 8"
    expect 0 "$CAFE" embed g.in.txt "${options[@]}" -q -t 1 -o one.npy -f
    expect 0 "$CAFE" embed g.in.txt "${options[@]}" -q -t 3 -o three.npy -f
    same one.npy three.npy
    rm one.npy three.npy
done

# ---- another form than the vectors as they are, and the last step of ProNE
expect 0 "$CAFE" embed g.in.txt --method hope -k 8 --tune sides=source --output-form ritz -q -o ritz.npy
expect 0 "$CAFE" embed g.in.txt -k 8 --propagate --tune propagate-order=5 -o spread.npy --json spread.json
grep -q '"propagate": true' spread.json || fail "the report lacks the last step"
expect 2 "$CAFE" embed g.in.txt --tune propagate-mu=0.3 -o x.npy
says '--tune propagate-mu goes with --propagate'

# ---- labels spread
expect 0 "$CAFE" embed g.in.txt --method label-propagation --labels l.in.txt -o lp.tsv
awk -F '\t' 'NF != 4 { exit 1 }' lp.tsv || fail "a column a class"
expect 2 "$CAFE" embed g.in.txt --method label-propagation -o x.npy
says 'needs --labels'

# ---- both ends of the spectrum
expect 0 "$CAFE" embed g.in.txt -k 8 --columns-from both -o both.npy --json both.json
says 'columns +[0-9]+ top, [0-9]+ bottom'
(($(group_columns both.json bottom) > 0)) || fail "columns of the bottom"
expect 0 "$CAFE" embed g.in.txt --method spectral -k 8 --columns-from both -q -o s.npy

# ---- a matrix that is too large to be computed is drawn
expect 0 "$CAFE" embed g.in.txt --method netmf -k 8 --tune samples=5000 -o drawn.npy --json drawn.json
says 'netmf +matrix drawn by 5000 walks, loss'
[[ $(json_value drawn.json drawn_walks) == 5000 ]] || fail "the report lacks the walks"

# ---- refusals
expect 2 "$CAFE" embed g.in.txt --method deepwalk --columns-from both -o x.npy
says '--columns-from does not go with --method deepwalk'
"$CAFE" generate sbm --nodes 3000 --edges 9000 -q -o big.in.txt
expect 1 "$CAFE" embed big.in.txt --method grarep --tune matrix-limit=1 -o x.npy
says 'GraRep is dense: 3000 nodes take [0-9]+ bytes'
[[ ! -e x.npy ]] || fail "a refused run left a file"
