#!/usr/bin/env bash
# Weights of any unit, at the ends of their range and outside it, through every command. A run with exit code 0 has
# finite results, and weights times 2^k give the same ones. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

"$CAFE" generate sbm --nodes 120 --edges 500 --blocks 4 --mixing 0.1 -q -o g.in.txt --labels l.in.txt
# in_unit K: the graph with weights 0.5 to 8 times 2^K
in_unit() { awk -v k="$1" '/^#/ { print; next } { printf "%s %s %.17g\n", $1, $2, (1 + NR % 16) / 2 * 2 ^ k }' g.in.txt; }
for k in -100 -30 0 30 100; do in_unit "$k" >"u$k.in.txt"; done

finite() { ! grep -qiE '(^|[^a-z])-?(nan|inf)([^a-z]|$)' "$@" || fail "not finite: $*"; }

# ---- outside the range: refused, with the weights in the message, and nothing is written
sed '5s/$/ 1e-40/; 5!s/$/ 1/' g.in.txt | grep -v '^#' >tiny.in.txt
sed 's/$/ 1/; 7s/1$/1e-30/' g.in.txt | grep -v '^#' >wide.in.txt
for command in "embed --method cafe" "embed --method hope" "embed --method line" \
    "cluster --method softmax" cluster rank; do
    # shellcheck disable=SC2086
    expect 3 "$CAFE" ${command%% *} tiny.in.txt ${command#"${command%% *}"} -q -o out.tsv
    says 'expected a weight of 0 or from 1.2e-38 to 3.4e38'
    # shellcheck disable=SC2086
    expect 3 "$CAFE" ${command%% *} wide.in.txt ${command#"${command%% *}"} -q -o out.tsv
    says 'the weights of the graph go from 1e-30 to 1: the largest is at most 1.84467e\+19'
    only_inputs
done

# ---- weights of 1e38, whose degrees a float does not hold
grep -v '^#' g.in.txt | sed 's/$/ 1e38/' >huge.in.txt
for method in cafe sphere hope line layers; do
    expect 0 "$CAFE" embed huge.in.txt -q --method $method -k 4 -o "v.$method.tsv" -f
    finite "v.$method.tsv"
done
expect 0 "$CAFE" cluster huge.in.txt -q --method softmax -k 8 --json c.json
finite c.json
[[ $(json_value c.json communities) -gt 1 ]] || fail "one community of everything"
expect 0 "$CAFE" plot huge.in.txt v.sphere.tsv -q -o m.tsv
finite m.tsv
expect 0 "$CAFE" info huge.in.txt
prints '1e\+38|1\.0+e\+38'

# ---- any unit: the same bytes
# change K: edges that come and a new node, in that unit; a table in it
change() {
    awk -v k="$1" 'BEGIN { printf "+ 0 50 %.17g\n+ 3 77 %.17g\n", 2 ^ k, 3 * 2 ^ k }' >"c$1.in.txt"
    awk -v k="$1" 'BEGIN { printf "new 3 %.17g\nnew 9 %.17g\n", 2 ^ k, 2 ^ (k - 1) }' >"n$1.in.txt"
    awk -v k="$1" 'BEGIN { for (i = 0; i < 90; i++) {
        for (j = 0; j < 5; j++) printf "%s%.17g", j ? "," : "", (i * (j + 7) * 31 % 97) * 2 ^ k; print "" } }' >"t$1.in.csv"
}
run_all() {
    local g=u$1.in.txt d=d$1
    mkdir -p "$d"
    for method in sphere cafe layers spectral hope deepwalk netmf prone; do
        expect 0 "$CAFE" embed "$g" -q --method $method -k 4 -t 2 -o "$d/$method.tsv"
    done
    for method in layers softmax; do
        expect 0 "$CAFE" cluster "$g" -q --method $method -o "$d/$method.part.tsv"
    done
    for sampling in walk pagerank; do
        expect 0 "$CAFE" embed "$g" -q --sampling $sampling -k 4 -o "$d/$sampling.tsv"
    done
    expect 0 "$CAFE" plot "$g" "$d/sphere.tsv" -q -o "$d/map.tsv"
    expect 0 "$CAFE" rank "$g" -q -o "$d/rank.tsv"
    expect 0 "$CAFE" recommend "$g" -q --embedding "$d/sphere.tsv" -o "$d/recommend.tsv"
    expect 0 "$CAFE" explain "$g" "$d/sphere.tsv" -q --json "$d/explain.json"
    change "$1"
    expect 0 "$CAFE" embed "$g" -q --output-form raw -k 4 -o "$d/raw.tsv"
    expect 0 "$CAFE" update "$g" "c$1.in.txt" --from "$d/raw.tsv" -q -o "$d/updated.tsv"
    expect 0 "$CAFE" place "$g" "$d/raw.tsv" "n$1.in.txt" --weight 2 -q -o "$d/placed.tsv"
    expect 0 "$CAFE" recommend "$g" -q --score covariance -o "$d/covariance.tsv"
    expect 0 "$CAFE" reduce "t$1.in.csv" -q -k 3 -o "$d/reduced.tsv"
    finite "$d"/*.tsv
}
for k in 0 -100 -30 30 100; do
    run_all "$k"
    for file in d0/*.tsv; do same "$file" "d$k/${file#d0/}"; done
done
values() { grep -vE '"(seconds|bytes|total_weight|file|path|graph|input|vectors|name|time|[a-z_]*_bytes|peak[a-z_]*)":' <(without_given "$1"); }
for k in -100 -30 30 100; do
    diff <(values d0/explain.json) <(values "d$k/explain.json") >.last/out || fail "explain differs for 2^$k"
done

# ---- written weights are the user's
expect 0 "$CAFE" convert u100.in.txt -q back.cafe
expect 0 "$CAFE" convert back.cafe -q back.txt
expect 0 "$CAFE" convert u100.in.txt -q straight.txt
same back.txt straight.txt
