#!/usr/bin/env bash
# Every command's --json has the keys that the first reports had (reports.keys), on the karate club.
# More may come; none may go, or what users wrote to read reports stops working. The options follow
# their tables and are not listed.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

karate=$SOURCE/examples/karate.txt
labels=$SOURCE/examples/karate.labels.txt

# keys NAME: those of NAME.json that are on lines of their own, against NAME's line of the list
keys() {
    json_check "$1.json"
    sed '/^  "options": {/,/^  }/d' "$1.json" | grep -oE '^ *"[^"]+": ' | tr -d ' ":' | sort -u >"$1.found"
    grep "^$1 " "$SOURCE/tests/reports.keys" | cut -d' ' -f2- | tr ' ' '\n' | sort -u >"$1.wanted"
    [[ -s $1.wanted ]] || fail "no keys of $1 are listed"
    local gone
    gone=$(comm -23 "$1.wanted" "$1.found" | tr '\n' ' ')
    [[ -z $gone ]] || fail "the report of $1 lacks $gone"
}

# report NAME COMMAND...: the command with --json, then its keys
report() {
    local name=$1
    shift
    expect 0 "$CAFE" "$@" -q --json "$name.json"
    keys "$name"
}

expect 0 "$CAFE" embed "$karate" -q -k 6 --output-form raw -o raw.npy
expect 0 "$CAFE" embed "$karate" -q -k 6 -o v.npy
expect 0 "$CAFE" cluster "$karate" -q -o communities.tsv
printf '0\n1\n2\n' >a.txt
printf '32\n33\n' >b.txt
printf '+ 0 34\n- 0 1\n' >changes.txt
printf 'x 0\ny 33\n' >links.txt
paste <(seq 1 34) <(seq 34 -1 1) >points.tsv

grep -v "^#" "$labels" | head -20 >known.txt
report predict predict "$karate" --labels known.txt -o predicted.tsv
report embed embed "$karate" -k 4 -o e.npy
report embed-loss embed "$karate" --method gf -k 4 -o g.npy
report embed-loss-drawn embed "$karate" --method netmf --tune samples=1000 -k 4 -o netmf.npy
report embed-dry embed "$karate" --dry-run
report embed-ranks embed "$karate" --dry-run --tune ranks=3 --tune network=25G --tune memory-bandwidth=100G --memory-limit 1G
report embed-sized embed --dry-run --graph-size 1000,5000 --tune ranks=3
report embed-files embed "$karate" -k 4 --memory-limit 30M -o f.npy
report embed-files-dry embed "$karate" --memory-limit 30M --dry-run
report embed-checkpoint embed "$karate" -k 4 --checkpoint c.in -o c.npy
report embed-drawn embed "$karate" -k 4 --sampling walk --tune samples=1000 -o w.npy
report cluster cluster "$karate" -o c.tsv
report cluster-trials cluster "$karate" --trials 3 -o ct.tsv
report cluster-profile cluster "$karate" --profile 0.5:2:3
report cluster-softmax cluster "$karate" --method softmax -o s.tsv
report reduce reduce points.tsv -o r.npy
report classify evaluate classify "$karate" --labels "$labels" --repeats 2 --classifier logistic
report methods evaluate classify "$karate" --labels "$labels" --repeats 2 --classifier logistic --methods sphere,gf -k 4
report link evaluate link "$karate" --repeats 2 --classifier logistic --tune protocol=honest
report partition evaluate cluster "$karate" --labels "$labels"
report explain explain "$karate" v.npy --communities communities.tsv --labels "$labels" --node 1
report bounds explain --eigenvector "$karate"
report rank rank "$karate" --by pagerank --set a.txt --top 5
report rank-sets rank "$karate" --set a.txt --other b.txt
report recommend recommend "$karate" --node 1
report recommend-compared recommend "$karate" --evaluate 0.2
report update update "$karate" changes.txt --from raw.npy -o n.npy --full --communities communities.tsv
report place place "$karate" raw.npy links.txt -o p.npy
report points points points.tsv -o g.txt
report info info "$karate"
report map plot "$karate" v.npy -o m.npy
expect 0 "$CAFE" cluster "$karate" -q --hierarchy hierarchy.json
keys hierarchy
