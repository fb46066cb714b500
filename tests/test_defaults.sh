#!/usr/bin/env bash
# NULL for the options of a call of the library has the bits of the tool's defaults: every method, every step
# that takes options. tests/defaults.c makes the calls.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt
labels=$SOURCE/examples/karate.labels.txt
null() { expect 0 "$BUILD/tests/defaults" "$@"; }
report() { sed -nE "s/.*\"$2\": ([-+.e0-9]+),?\$/\\1/p" "$1" | head -n 1; }
equal() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 == b + 0 && a != "" && b != "") }' || fail "$3: $1 and $2"; }

"$CAFE" generate planted --nodes 120 --edges 500 -q -o planted.txt
"$CAFE" generate planted --nodes 120 --edges 500 --seed 2 -q -o weighted.txt --labels planted.labels.txt
awk '/^#/ { print; next } { print $1, $2, 1 + NR % 5 }' weighted.txt >w.txt && mv w.txt weighted.txt
methods() { # of a command
    "$CAFE" "$1" "$karate" --method nosuch 2>&1 | tr -d ",'" | sed -nE 's/.*takes one of ([a-z0-9|-]+).*/\1/p' | tr '|' ' '
}

# ---- vectors and communities of every method
for command in embed cluster; do
    read -r -a names <<<"$(methods $command)"
    [[ ${#names[@]} -ge $([[ $command == embed ]] && echo 13 || echo 2) ]] || fail "methods of $command: ${names[*]}"
    for graph in "$karate" weighted.txt; do
        known=$labels
        [[ $graph == "$karate" ]] || known=planted.labels.txt
        for method in "${names[@]}" first; do
            given=(--method "$method")
            [[ $method != first ]] || given=()
            [[ $method != label-propagation ]] || given+=(--labels "$known")
            if [[ $command == embed ]]; then
                null embed "$method" "$graph" "$known" null.npy
                expect 0 "$CAFE" embed "$graph" "${given[@]}" -q -o tool.npy -f
                same null.npy tool.npy
                continue
            fi
            expect 0 "$CAFE" cluster "$graph" "${given[@]}" -q -o tool.tsv --json tool.json -f
            for how in cluster model; do
                [[ $how == cluster || $method != first ]] || continue # a model is made for vectors
                [[ $how == cluster || $method != label-propagation ]] || continue
                null $how "$method" "$graph" "$known" null.tsv
                same <(sed 1d null.tsv) <(sed 1d tool.tsv)
                read -r modularity edges < <(head -n 1 null.tsv)
                equal "$modularity" "$(report tool.json modularity)" "$how $method $graph: modularity"
                [[ -z $(report tool.json edge_modularity) ]] ||
                    equal "$edges" "$(report tool.json edge_modularity)" "$how $method $graph: of edges"
            done
        done
    done
done
# a model for vectors does not know which communities are meant
expect 1 "$BUILD/tests/defaults" model sphere "$karate" "$labels" null.tsv
says 'sphere finds no communities'

# ---- the other steps
"$CAFE" embed planted.txt -q -k 8 -o v.npy
"$CAFE" embed planted.txt -q -k 8 --no-heading -o v.tsv
cut -f 2- v.tsv >table.in.tsv
null reduce table.in.tsv null.npy
expect 0 "$CAFE" reduce table.in.tsv -q -o tool.npy -f
same null.npy tool.npy
null points points table.in.tsv null.txt
expect 0 "$CAFE" points table.in.tsv -q -o tool.txt
same null.txt tool.txt
awk 'BEGIN { for (i = 0; i < 30; i++) for (j = 0; j < 30; j++) printf "%g%s", 1 / (1 + (i - j) * (i - j)), j < 29 ? "\t" : "\n" }' >matrix.in.tsv
null points matrix matrix.in.tsv null.txt
expect 0 "$CAFE" points matrix.in.tsv --matrix -q -o tool.txt -f
same null.txt tool.txt
null map planted.txt v.npy null.npy
expect 0 "$CAFE" plot planted.txt v.npy -q -o tool.npy -f
same null.npy tool.npy
null rank planted.txt null.txt
expect 0 "$CAFE" rank planted.txt --top 0 -q -o tool.txt -f
same null.txt <(sed 1d tool.txt)
null recommend planted.txt null.txt
expect 0 "$CAFE" recommend planted.txt -q -o tool.txt -f
same null.txt <(sed 1d tool.txt | cut -f 1,3,4)
printf '+ 0 119\n- %s\n' "$(sed -n 2p planted.txt)" >changes.in
"$CAFE" embed planted.txt -q -k 8 --output-form raw --columns-from top -o raw.npy
null update planted.txt raw.npy changes.in null.npy
expect 0 "$CAFE" update planted.txt changes.in --from raw.npy -q -o tool.npy -f
same null.npy tool.npy
printf 'x 0\nx 5\ny 7\n' >new.in
null place planted.txt raw.npy new.in null.npy
expect 0 "$CAFE" place planted.txt raw.npy new.in -q -o tool.npy -f
same null.npy tool.npy
for model in sbm planted ba rmat; do
    null generate $model null.txt
    expect 0 "$CAFE" generate $model -q -o tool.txt -f
    same null.txt tool.txt
done
null bounds "$karate" null.txt
expect 0 "$CAFE" explain --eigenvector "$karate" -q -o tool.txt -f
same null.txt tool.txt
"$CAFE" embed "$karate" -q -k 4 -o k.npy
null others "$karate" k.npy
null ceiling "$karate" null.txt
expect 0 "$CAFE" explain "$karate" k.npy --bound --tune degree-exponent=0 -q --json tool.json -f
equal "$(cat null.txt)" "$(report tool.json bound)" "the bound"
for task in classify link; do
    null evaluate $task "$karate" "$labels" null.txt
    given=(--train 0.5 --classifier logistic --json tool.json -f -q)
    [[ $task != classify ]] || given+=(--labels "$labels")
    expect 0 "$CAFE" evaluate $task "$karate" "${given[@]}"
    while read -r name mean; do
        grep -qF "\"$name\"" tool.json || fail "evaluate $task: no $name"
        [[ $mean == *nan* ]] && continue
        grep -qF -- "$mean" tool.json || fail "evaluate $task: $name $mean is not in the report"
    done <null.txt
done
