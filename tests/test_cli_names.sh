#!/usr/bin/env bash
# Hostile names through every command: what one of them writes, all options that take its kind read
# back. A second graph of the same edges with plain names says what every number has to be.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

names=('Smith, J.' 'two words' ' before' 'behind ' ' ' 'a;b' $'a\tb' '#hash' '# cafe: nodes 3' '%percent'
    '"' '""' 'say "hi"' '"quoted"' 'a","b' '+' '-' '- a b' 12 007 -5 1e5 nan source target node
    $'\e[31mred' $'\a' $'\x7f' $'\xc2\x9b31m' $'\v' $'\xef\xbb\xbfmark' $'\u00fc' $'\u65e5' '=1+1' '@x'
    '\n' "'" "$(printf 'x%.0s' {1..1022})" "$(printf 'y%.0s' {1..1023})" "$(printf '"%.0s' {1..5000})"
    "$(printf 'z%.0s' {1..65535})")
n=${#names[@]}
plain=()
for ((u = 0; u < n; u++)); do plain+=("n$u"); done

# The name as a field.
field() { printf '"%s"' "${1//\"/\"\"}"; }

# Two rings with chords and one bridge, in the order of the names.
edges() {
    local -n of=$1
    local u half=$((n / 2))
    for ((u = 0; u < n; u++)); do
        local base=$((u < half ? 0 : half)) size=$((u < half ? half : n - half)) step
        for step in 1 2 3; do
            printf '%s %s\n' "$(field "${of[u]}")" "$(field "${of[base + (u - base + step) % size]}")"
        done
    done
    printf '%s %s\n' "$(field "${of[0]}")" "$(field "${of[half]}")"
}
edges names >hostile.in.txt
edges plain >plain.in.txt
for world in hostile plain; do expect 0 "$CAFE" convert $world.in.txt $world.cafe; done

# both COMMAND...: runs it in both worlds; @ stands for the name of the world.
both() {
    for world in plain hostile; do expect 0 "$CAFE" "${@//@/$world}"; done
}
# The columns behind the name are the same in both worlds.
same_values() {
    for world in plain hostile; do sed 's/^"\([^"]\|""\)*"\t/-\t/; s/^[^\t]*\t/-\t/' "$world.$1" >".last/$world"; done
    same .last/plain .last/hostile
}
# So are the numbers of two reports, but for times and memory.
same_report() {
    for world in plain hostile; do
        without_given "$world.$1" | sed -E '/"(seconds|memory)": \{/,/\}/d; /seconds|bytes/d; s/: ".*"(,?)$/: -\1/' >".last/$world"
    done
    same .last/plain .last/hostile
}

# ---- graphs: every format that is written, read back to the same edges
for format in txt edges csv tsv mtx graph metis cafe; do
    expect 0 "$CAFE" convert hostile.cafe "g.$format"
    expect 0 "$CAFE" convert "g.$format" back.tsv -f
    expect 0 "$CAFE" convert hostile.cafe first.tsv -f
    same back.tsv first.tsv
    expect 0 "$CAFE" info "g.$format" --json info.json -f
    [[ $(json_value info.json nodes) -eq $n ]] || fail "$format: $(json_value info.json nodes) nodes for $n"
done

# ---- partitions, read as communities and as labels
both cluster @.cafe -o @.part
same_values part
[[ $(wc -l <hostile.part) -eq $((n + 1)) ]] || fail "lines of the partition"
for option in communities labels; do
    both evaluate cluster @.cafe --$option @.part --json @.$option.json
    same_report $option.json
    if grep -q 'without an edge' .last/err; then fail "--$option invented nodes"; fi
done
[[ $(json_value hostile.labels.json nodes) -eq $n ]] || fail "nodes of the evaluation"
both embed @.cafe --method cafe --labels @.part -k 4 -o @.l.tsv
same_values l.tsv
both evaluate classify @.cafe --labels @.part --repeats 2 -k 4 --json @.classify.json
same_report classify.json

# ---- vectors
for form in tsv npy; do
    both embed @.cafe -k 4 --output-form raw -o @.v.$form
    both embed @.cafe -k 4 --start @.v.$form -o @.again.tsv -f
    same_values again.tsv
    both explain @.cafe @.v.$form --communities @.part --labels @.part --features @.v.tsv --json @.e.json -f
    same_report e.json
    both plot @.cafe @.v.$form -o @.m.$form
    both plot @.cafe @.v.$form --map @.m.$form --labels @.part -o @.svg -f
    both plot @.cafe @.v.$form --labels @.part --communities @.part -o @.html -f
    both recommend @.cafe --embedding @.v.$form -o @.rec -f
    both evaluate link @.cafe --repeats 1 -k 4 --json @.link.json -f
    [[ $form == tsv ]] || continue
    same_values v.tsv
    same_values m.tsv
    same_values again.tsv
done
expect 1 "$CAFE" embed hostile.cafe -k 4 -o v.txt
says 'a blank or a control character in it, which word2vec text cannot hold'
[[ ! -e v.txt ]] || fail "word2vec text was written"

# ---- sets and lists: the names beside the vectors, and the fields of a partition
both rank @.cafe --by relative --set @.v.npy.names.txt --top 0 -o @.all
same_values all
sed 1d plain.part | cut -f 1 | head -n 7 >plain.some.in
for ((u = 0; u < 7; u++)); do field "${names[u]}" && echo; done >hostile.some.in
both rank @.cafe --set @.some.in --other @.v.npy.names.txt --json @.sets.json
same_report sets.json
both embed @.cafe --sampling pagerank --seeds @.v.npy.names.txt -k 4 -o @.s.tsv
same_values s.tsv
both embed @.cafe --sampling twisted --tune measure=category --attributes @.part -k 4 -o @.c.tsv
same_values c.tsv
list=$(for ((u = 0; u < 7; u++)); do field "${names[u]}" && printf ,; done)
expect 0 "$CAFE" explain hostile.cafe hostile.v.npy -v --node "${list%,}"
[[ $(grep -c '^node ' .last/out) -eq 7 ]] || fail "cards of a list of nodes"
expect 0 "$CAFE" explain hostile.cafe hostile.v.npy -v --node 'Smith, J.'
prints '^node Smith, J\.$'
both recommend @.cafe --nodes-file @.v.npy.names.txt -o @.rec2
[[ $(wc -l <hostile.rec2) -eq $(wc -l <plain.rec2) ]] || fail "recommendations"

# ---- changes and new nodes
changes() {
    local -n of=$1
    printf '+ %s %s\n' "$(field "${of[1]}")" "$(field "${of[n - 1]}")"
    printf -- '- %s %s\n' "$(field "${of[0]}")" "$(field "${of[1]}")"
    printf '+ %s %s\n' "$(field "${2:-new}")" "$(field "${of[15]}")"
}
changes names ' new, "one"' >hostile.changes.in
changes plain >plain.changes.in
both update @.cafe @.changes.in --from @.v.npy --communities @.part -o @.u.tsv --graph-out @.u.cafe --drift @.drift --json @.u.json
same_values u.tsv
same_values drift
same_report u.json
both explain @.u.cafe @.u.tsv --json @.ue.json
same_report ue.json
for ((u = 0; u < n - 1; u++)); do # the last is as long as a name may be
    printf '%s %s\n' "$(field "again ${names[u]}")" "$(field "${names[u]}")" >>hostile.new.in
    printf 'again%d n%d\n' $u $u >>plain.new.in
done
both place @.cafe @.v.npy @.new.in -o @.p.npy
both place @.cafe @.v.npy @.new.in -o @.p.tsv
same_values p.tsv

# ---- tables: rows named by hostile names become nodes, and their vectors go back to them
both reduce @.v.tsv -k 2 -o @.r.tsv
same_values r.tsv
both points @.v.tsv -o @.k.cafe
both plot @.k.cafe @.r.tsv -o @.km.tsv
same_values km.tsv
printf 'x,y\n"",1\nb,2\nc,3\n' >empty.in
expect 3 "$CAFE" points empty.in -o bad.cafe
says 'expected a name'

# ---- integer names: the first column of own vectors is no attribute
expect 0 "$CAFE" embed "$SOURCE/examples/karate.txt" -k 4 -o k.npy
expect 0 "$CAFE" embed "$SOURCE/examples/karate.txt" -k 4 --no-heading -o k.tsv
sort -R k.tsv >k.turned.tsv
for form in npy tsv turned.tsv; do
    expect 0 "$CAFE" explain "$SOURCE/examples/karate.txt" k.npy --features "k.$form"
    cp .last/out "features.$form"
    same "features.$form" features.npy
done

# ---- every table of tabs is what RFC 4180 says: the cells are the names
python=$(command -v python3 || true)
if [[ -n $python ]]; then
    printf '%s\0' "${names[@]}" >names.in
    "$python" - <<'CHECK' || fail "a table of tabs does not hold the names"
import csv, sys
csv.field_size_limit(1 << 20)
names = open("names.in", encoding="utf-8", newline="").read().split("\0")[:-1]
def rows(path, skip=0):
    with open(path, encoding="utf-8", newline="\n") as file:
        return list(csv.reader(file, delimiter="\t"))[skip:]
assert [r[0] for r in rows("hostile.part", 1)] == names
assert [r[0] for r in rows("hostile.v.tsv", 1)] == names
assert sorted(r[0] for r in rows("hostile.all", 1)) == sorted(names)
assert {c for r in rows("hostile.rec", 1) for c in (r[0], r[2])} == set(names)
assert {r[0] for r in rows("hostile.drift", 1)} == set(names) | {' new, "one"'}
CHECK
else
    echo "skipped: no python3, so the tables are not read by another reader"
fi
