#!/usr/bin/env bash
# Rows that are not symmetric are refused. If --tune trust=yes lets them through, every command ends with a status and stays
# within its arrays (the sanitizers check this), whatever its result is. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
craft=${BUILD:?}/tests/craft_arcs
[[ -x $craft ]] || { echo "skipped: the tests' programs are not built"; exit 77; }
mkdir graphs.in
"$craft" graphs.in

# ends COMMAND...: with a status of the tool's, in time.
ends() {
    local got=0
    timeout -k 5 300 "$CAFE" "$@" --tune trust=yes -q >.last/out 2>.last/err || got=$?
    case $got in 0 | 1 | 3 | 4 | 5) ;; *) fail "exit code $got: cafe $*" ;; esac
    ! grep -qE 'Sanitizer|runtime error' .last/err || fail "outside its arrays: cafe $*"
}

seq 0 39 | awk '{ print $1, $1 % 3 }' >labels.in
printf '+ 0 39 2\n- 0 1\n+ 50 3 1\n' >changes.in
printf 'new 0 1\nnew 5 2\nother 39\n' >links.in
seq 0 9 >set.in
# vectors and communities of a sound graph of as many nodes
"$CAFE" generate sbm --nodes 40 --edges 200 --blocks 2 -q -o sound.in.txt
"$CAFE" embed sound.in.txt -q -k 4 --output-form raw -o x.in.npy
"$CAFE" cluster sound.in.txt -q -o c.in.tsv

methods=$("$CAFE" help methods | sed -nE '/^vectors/,/^$/s/^  ([a-z0-9-]+) .*/\1/p')
communities=$("$CAFE" help methods | sed -nE '/^communities/,/^$/s/^  ([a-z0-9-]+) .*/\1/p')
[[ $(wc -w <<<"$methods") -ge 12 && $(wc -w <<<"$communities") -ge 2 ]] || fail "few methods: $methods"

for graph in graphs.in/*.cafe; do
    expect 3 "$CAFE" info "$graph"
    says 'in the row of both'
    ends info "$graph"
    for ending in txt mtx graph cafe; do ends convert "$graph" "o.$ending" -f; done
    for method in $methods; do
        wants=()
        [[ $method == layers ]] || wants=(-k 4)
        [[ $method != label-propagation ]] || wants=(--labels labels.in)
        ends embed "$graph" --method "$method" "${wants[@]}" -o o.npy -f
    done
    for sampling in walk pagerank; do
        ends embed "$graph" --sampling $sampling -k 4 -o o.npy -f
        ends embed "$graph" --sampling $sampling --tune samples=500 -k 4 -o o.npy -f
        ends cluster "$graph" --sampling $sampling -o o.tsv -f
    done
    ends embed "$graph" -k 4 --columns-from both --residual 1e-3 --propagate -o o.npy -f
    ends cluster "$graph" --tune chunks=3 -o o.tsv -f
    for method in $communities; do ends cluster "$graph" --method "$method" -o o.tsv -f; done
    ends explain "$graph" x.in.npy --communities c.in.tsv --node 0,39 --spectrum --bound --json o.json -f
    ends plot "$graph" x.in.npy -o o.npy -f
    ends plot "$graph" x.in.npy -o o.svg -f
    ends plot "$graph" x.in.npy -o o.html -f
    ends rank "$graph" --by degree
    for by in pagerank relative; do ends rank "$graph" --by $by --set set.in; done
    ends recommend "$graph"
    ends recommend "$graph" --evaluate 0.2
    ends explain "$graph" --eigenvector
    ends update "$graph" changes.in --from x.in.npy -o o.npy --graph-out o.cafe --drift o.tsv -f
    ends place "$graph" x.in.npy links.in -o o.npy -f
    for protocol in honest paper; do
        ends evaluate link "$graph" --method sphere -k 4 --repeats 2 --tune protocol=$protocol
    done
    ends evaluate classify "$graph" --labels labels.in --method label-propagation --classifier none --repeats 2
    ends evaluate cluster "$graph" --communities c.in.tsv
done
