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

# attributes that change with time: the last value, and a warning
expect 0 "$CAFE" info "$messy/gephi-dynamic.gexf"
says 'attributes that change: 1 values of nodes are left out, each with a later value'
expect 0 "$CAFE" convert "$messy/gephi-dynamic.gexf" dynamic.in.json
grep -q '"club": "chess"' dynamic.in.json || fail "$(cat dynamic.in.json)"
[[ $(grep -c tennis dynamic.in.json) -eq 0 ]] || fail "$(cat dynamic.in.json)"

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
        "${command[@]}" >.last/out 2>.last/err || says '(node has|nodes have) several labels'
        grep -q 'several labels' .last/err || says "labels    $labels/$file: $classes class(es)?, $labelled of [0-9]+ nodes labelled"
    fi
    count=$((count + 1))
done < <(tr '\t' '\037' <"$labels/expected.tsv")
[[ $count -ge 30 ]] || fail "only $count files of labels"
expect 0 "$CAFE" embed "$labels/numbers.csv" --method label-propagation --labels "$labels/gephi.csv" -o v.in.npy -f
says "3 of 4 nodes labelled; node column 0 'Id', label column 3 'modularity_class', ignored .*; a heading; commas"

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

# tables of numbers, changes of edges, lists: what was taken for what is printed, and in the report
while IFS=$'\x1f' read -r kind file graph options wanted; do
    read -r -a list <<<"$options"
    graph=$labels/$graph.csv path=$messy/$kind/$file
    expect 0 "$CAFE" embed "$graph" "${list[@]}" -q -k 1 --output-form raw -o v.in.npy -f
    case $kind in
        tables) command=(embed "$graph" --sampling twisted --attributes "$path" -k 1 -o o.in.npy) ;;
        changes) command=(update "$graph" "$path" --from v.in.npy -o o.in.npy) ;;
        lists) command=(rank "$graph" --set "$path") ;;
    esac
    command=("$CAFE" "${command[@]}" "${list[@]}" -f)
    if [[ $wanted == '! '* ]]; then refuses "$wanted" "${command[@]}" && continue; fi
    expect 0 "${command[@]}" --json report.in.json
    grep -qF "\"file\": \"$path\"" report.in.json || fail "$kind/$file: the report lacks its reading"
    [[ $kind != changes ]] || says "changes   ${wanted% *} edges? added, ${wanted#* } removed"
    [[ $kind != lists ]] || says "read as   $path: "
done < <(for kind in tables changes lists; do of $kind | sed "s/^/$kind\x1f/"; done)
expect 0 "$CAFE" embed "$labels/genes.csv" --features "$messy/tables/excel-sep.csv" -k 1 -o o.in.npy -f --json report.in.json
says 'rows by the names of the nodes; names of rows in column 0; a heading; semicolons; decimal commas'
expect 0 "$CAFE" convert "$labels/genes.csv" o.in.json --attributes "$messy/nodes/excel.csv" -f
says 'read as .*nodes/excel.csv: node column'
grep -q '"Ort": "Köln; Rhein"' o.in.json || fail 'texts of --attributes are not written'
expect 0 "$CAFE" reduce "$messy/tables/excel-sep.csv" -k 1 -o o.in.tsv -f -v
says 'names of rows in column 0; a heading; semicolons; decimal commas'

# labels that are missing or repeated
for file in same-labels.gexf same-labels.gml; do
    expect 0 "$CAFE" info "$messy/$file"
    says "^warning: $messy/$file: 'label' is missing or repeated for 1 of 2 nodes, .*--name id takes the ids"
    expect 0 "$CAFE" info "$messy/$file" --name id
    quiet
done
expect 0 "$CAFE" convert "$messy/latin-1.net" converted.in.txt
says 'warning: the file is no UTF-8, and is read as Windows-1252'
grep -q '^ann café$' converted.in.txt || fail "names of latin-1.net: $(cat converted.in.txt)"
expect 0 "$CAFE" convert "$messy/igraph.gml" converted.in.txt -f
grep -q '^ann bob$' converted.in.txt || fail "igraph's names: $(cat converted.in.txt)"

expect 0 "$CAFE" info "$messy/r-missing-nodes.csv"
says "^warning: 'NA' is a node: if it means a missing value"

# the reading is reported
expect 0 "$CAFE" info "$messy/to-before-from.csv"
prints "^read as      source column 1 'from', target column 0 'to', weight column 2 'w'; a heading; commas$"
prints $'^first edges  a\tb\t2$'
expect 0 "$CAFE" embed "$messy/gephi.csv" -k 1 -o v.in.npy -f
says "ignored column 2 'Type'"
only_inputs
