#!/usr/bin/env bash
# The messy files by the tool: as files, through a pipe and packed the same comes of them.
# shellcheck source=tests/lib.sh
source "$SOURCE/tests/lib.sh"

messy=$SOURCE/tests/messy

# outcome FILE WANTED OPTION...: what the tool says of it
outcome() {
    local path=$1 wanted=$2 half
    shift 2
    if [[ $wanted == '! '* ]]; then
        local code=0
        "$CAFE" info "$path" "$@" >.last/out 2>.last/err || code=$?
        [[ $code -eq 3 || $code -eq 1 ]] || fail "exit code $code instead of a refusal: $path $*"
        grep -qF -- "${wanted#! }" .last/err || fail "$path $*: the message lacks '${wanted#! }'"
        silent
        return
    fi
    expect 0 "$CAFE" info "$path" "$@" --json report.in.json -f
    half=$(json_value report.in.json total_weight)
    found="$(json_value report.in.json nodes) $(json_value report.in.json edges) $half"
    awk -v a="$found" -v b="$wanted" 'BEGIN { split(a, x); split(b, y);
        exit !(x[1] == y[1] && x[2] == y[2] && (x[3] / 2 - y[3])^2 < 1e-6 * (1 + y[3]^2) * 1e-6) }' ||
        fail "$path $*: '$found' instead of twice '$wanted'"
}

count=0
while IFS=$'\x1f' read -r file options wanted; do # tabs would be taken together
    [[ $file != '#'* ]] || continue
    read -r -a list <<<"$options"
    outcome "$messy/$file" "$wanted" "${list[@]}"
    # the ending of a pipe's name tells nothing
    case $file in
        *.tsv | empty.txt) ;;
        *) outcome - "$wanted" "${list[@]}" <"$messy/$file" ;;
    esac
    if command -v gzip >/dev/null && [[ $file != empty.txt && $file != *.?z* && $file != *packed* && $file != *.zst ]]; then
        gzip -c "$messy/$file" >"$file.in.gz"
        [[ $file == *.tsv ]] || outcome "$file.in.gz" "$wanted" "${list[@]}"
    fi
    count=$((count + 1))
done < <(tr '\t' '\037' <"$messy/expected.tsv")
[[ $count -ge 100 && $(find "$messy" -type f | wc -l) -ge 200 ]] || fail "only $count cases"

# files of labels: the library's words, through every way of giving unknown nodes
labels=$messy/labels count=0
while IFS=$'\x1f' read -r file graph options wanted; do
    [[ $file != '#'* ]] || continue
    read -r -a list <<<"$options"
    command=("$CAFE" embed "$labels/$graph.csv" --method label-propagation --labels "$labels/$file" -o v.in.npy -f "${list[@]}")
    if [[ $wanted == '! '* ]]; then
        for unknown in auto refuse; do
            expect 3 "${command[@]}" --unknown-nodes $unknown
            grep -qF -- "${wanted#! }" .last/err || fail "$file: the message lacks '${wanted#! }'"
        done
    else
        read -r labelled classes _ <<<"$wanted"
        "${command[@]}" >.last/out 2>.last/err || says 'nodes have several labels'
        grep -q 'several labels' .last/err || says "labels    $labels/$file: $classes class(es)?, $labelled of [0-9]+ nodes labelled"
    fi
    count=$((count + 1))
done < <(tr '\t' '\037' <"$labels/expected.tsv")
[[ $count -ge 30 ]] || fail "only $count files of labels"
expect 0 "$CAFE" embed "$labels/numbers.csv" --method label-propagation --labels "$labels/gephi.csv" -o v.in.npy -f
says "3 of 4 nodes labelled; line 1 is a heading; node column 0 'Id', label column 3 'modularity_class'; commas"

# tables of nodes: on a page; partitions: compared with themselves
# of FOLDER: "file graph wanted" of every line
of() {
    tr '\t' '\037' <"$messy/$1/expected.tsv" | grep -v '^#'
}
# refuses WANTED COMMAND...: the command fails with this part of the message
refuses() {
    local wanted=${1#! } code=0
    shift
    "$@" >.last/out 2>.last/err || code=$?
    [[ $code -eq 3 || $code -eq 1 ]] || fail "exit code $code instead of a refusal: $*"
    grep -qF -- "$wanted" .last/err || fail "$*: the message lacks '$wanted'"
}
while IFS=$'\x1f' read -r file graph wanted; do
    command=("$CAFE" plot "$labels/$graph.csv" v.in.npy --attributes "$messy/nodes/$file" -o page.in.html -q -f)
    expect 0 "$CAFE" embed "$labels/$graph.csv" -q -k 1 -o v.in.npy -f
    if [[ $wanted == '! '* ]]; then refuses "$wanted" "${command[@]}"; else expect 0 "${command[@]}"; fi
done < <(of nodes)
while IFS=$'\x1f' read -r file graph wanted; do
    command=("$CAFE" cluster "$labels/$graph.csv" --start "$messy/partitions/$file" -o c.in.tsv -f)
    if [[ $wanted == '! '* ]]; then
        refuses "$wanted" "${command[@]}"
    else
        read -r nodes communities <<<"$wanted"
        expect 0 "${command[@]}"
        says "$communities communit.*, $nodes of [0-9]+ nodes"
    fi
done < <(of partitions)

# labels that are missing or repeated
for file in same-labels.gexf same-labels.gml latin-1.net; do
    expect 0 "$CAFE" info "$messy/$file"
    says "^warning: $messy/$file: 'label' is missing or repeated for 1 of 2 nodes, .*--name id takes the ids"
    expect 0 "$CAFE" info "$messy/$file" --name id
    [[ $file == latin-1.net ]] || quiet
done
expect 0 "$CAFE" convert "$messy/latin-1.net" converted.in.txt
says "warning: .*1 value.* no UTF-8 text, and left out"
expect 0 "$CAFE" convert "$messy/igraph.gml" converted.in.txt -f
grep -q '^ann bob$' converted.in.txt || fail "igraph's names: $(cat converted.in.txt)"

# the reading is reported
expect 0 "$CAFE" info "$messy/to-before-from.csv"
prints "^read as      source column 1 'from', target column 0 'to', weight column 2 'w'; a heading; commas$"
prints $'^first edges  a\tb\t2$'
expect 0 "$CAFE" embed "$messy/gephi.csv" -k 1 -o v.in.npy -f
says "ignored column 2 'Type'"
only_inputs
