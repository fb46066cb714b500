#!/usr/bin/env bash
# cafe cluster --method softmax: starts, dense and sparse rows, labels, memberships out.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- memberships, partition and report
expect 0 "$CAFE" cluster "$karate" --method softmax -k 8 -o p.tsv --soft m.npz --json r.json
silent
says 'dense rows'
only p.tsv m.npz r.json
json_check r.json
for key in objective sweeps converged rows soft theta theta-units; do
    grep -qE "^ *\"$key\": " r.json || fail "the report lacks $key"
done
sed -nE 's/^ *"objective": \[(.*)\],?$/\1/p' r.json | tr -d ' ' | tr ',' '\n' >objective.in
awk 'NR > 1 && $1 < last - 1e-6 { bad = 1 } { last = $1 } END { exit bad }' objective.in ||
    fail "the objective falls"

# rows are probabilities; a community is a connected piece of those with the same largest entry
if /usr/bin/python3 -c 'import scipy.sparse' 2>/dev/null; then
    /usr/bin/python3 - <<'PYTHON' || fail "memberships"
import numpy, scipy.sparse
m = scipy.sparse.load_npz("m.npz").toarray()
assert m.shape == (34, 8) and (m >= 0).all() and abs(m.sum(1) - 1).max() < 1e-5
part = numpy.array([int(line.split("\t")[1]) for line in list(open("p.tsv"))[1:]])
best = m.argmax(1)
assert all(best[i] == best[j] for i in range(34) for j in range(34) if part[i] == part[j])
PYTHON
else
    echo "skipped: no scipy, so m.npz is not read back"
fi

# ---- starts; a start at the layers keeps what they found
expect 0 "$CAFE" cluster "$karate" -q --method softmax --tune initial=layers --json layers.json
awk -v q="$(json_value layers.json modularity)" 'BEGIN { exit !(q > 0.4) }' || fail "initial layers"
expect 0 "$CAFE" cluster "$karate" -q --method softmax --tune initial=sphere -k 8 --json sphere.json
awk -v q="$(json_value sphere.json modularity)" 'BEGIN { exit !(q > 0.3) }' || fail "initial sphere"

# ---- thousands of columns: sparse rows, the same bits for any threads
"$CAFE" generate sbm --nodes 6000 --edges 30000 --blocks 300 --mixing 0.1 -q -o g.in.txt --labels l.in.txt
for threads in 1 2 3 8; do
    expect 0 "$CAFE" cluster g.in.txt -q --method softmax -k 3000 -t $threads -o "t$threads.tsv" \
        --soft "t$threads.npz" --json t.json -f
    same "t$threads.tsv" t1.tsv
    same "t$threads.npz" t1.npz
done
[[ $(json_value t.json rows) == '"sparse"' ]] || fail "3000 columns are not held in sparse rows"

# ---- sparse rows are not worse than dense ones
cora=$SOURCE/../shared/data/cora/edges.txt
if [[ -r $cora ]]; then
    expect 0 "$CAFE" cluster "$cora" -q --method softmax -k 300 --theta 10 --json cora.json
    [[ $(json_value cora.json rows) == '"sparse"' ]] || fail "300 columns are not held in sparse rows"
    awk -v q="$(json_value cora.json modularity)" 'BEGIN { exit !(q > 0.78) }' || fail "Cora with sparse rows"
else
    echo "skipped: no Cora beside the repository, so its modularity is not checked"
fi

# ---- labels stay, in dense and in sparse rows
head -n 3000 l.in.txt >half.in.txt
for rows in dense sparse; do
    expect 0 "$CAFE" cluster g.in.txt -q --method softmax --labels half.in.txt --tune rows=$rows -o $rows.tsv
    join <(sort -k 1,1 half.in.txt) <(sort -k 1,1 $rows.tsv) |
        awk '{ if ($2 in to && to[$2] != $3) exit 1; to[$2] = $3 }' || fail "labels moved ($rows)"
done

# ---- refusals
expect 2 "$CAFE" cluster "$karate" --method softmax --soft m.tsv
says 'npz'
expect 2 "$CAFE" cluster "$karate" --soft x.npz
says '--soft does not go with --method layers'
expect 1 "$CAFE" cluster "$karate" --method softmax --soft m.npz
says 'exists'
expect 1 "$CAFE" cluster g.in.txt --method softmax --tune initial=sphere --tune rows=sparse -o x.tsv
says 'dense rows'
[[ ! -e x.tsv ]] || fail "a refused run left a file"
