#!/usr/bin/env bash
# --columns-from: exactly as many columns as were asked for where hubs are among them, counted by their groups, and read by the
# other commands.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

karate=$SOURCE/examples/karate.txt
for source in hubs top+hubs auto; do
    for k in 1 8 33; do
        expect 0 "$CAFE" embed "$karate" -q -k "$k" --columns-from "$source" -o v.npy -f --json r.json
        [[ $(json_value r.json columns) == "$k" ]] || fail "$source: $k columns"
        (($(group_columns r.json top) + $(group_columns r.json hubs) == k)) || fail "$source: counts"
    done
done

# more columns than directions
expect 0 "$CAFE" embed "$karate" -k 128 --columns-from top+hubs -o v.npy -f --json r.json
says '128 columns asked for, cut to 33: the graph has 34 nodes'
says 'columns   17 top, 16 hubs; [0-9]+ directions'
[[ $(json_value r.json columns) == 33 && $(json_value r.json columns_asked) == 128 ]] || fail 'n - 1 columns'
seq -f '0 %g' 1 20 >star.txt
expect 0 "$CAFE" embed star.txt -k 8 -o star.npy
says 'columns? (is|are) 0 throughout'

# the width does not depend on the seed; without hubs it does
for seed in 1 2 3; do
    expect 0 "$CAFE" embed "$karate" -k 8 --columns-from top+hubs --seed "$seed" -o v.npy -f
    says 'written   v.npy'
    says 'columns .* hubs'
done
expect 0 "$CAFE" embed "$karate" -k 8 --columns-from top -o s.npy --json s.json
[[ $(group_columns s.json hubs) == 0 ]] || fail 'hubs that nobody asked for'

# the default is auto, which fills up the scaled form alone
expect 0 "$CAFE" embed "$karate" -q -k 8 -o default.npy
expect 0 "$CAFE" embed "$karate" -q -k 8 --columns-from auto -o auto.npy
same default.npy auto.npy
for form in walk hhat ritz raw; do
    expect 0 "$CAFE" embed "$karate" -q -k 8 --output-form "$form" -o f.npy -f --json f.json
    [[ $(group_columns f.json hubs) == 0 ]] || fail "$form: hubs"
    for source in top+hubs hubs; do
        expect 1 "$CAFE" embed "$karate" -q --output-form "$form" --columns-from $source -o x.npy
        says 'hubs go with the scaled form'
    done
done
expect 0 "$CAFE" embed "$karate" -q -k 8 --residual 1e-3 -o f.npy -f --json f.json
[[ $(json_value f.json columns) == 8 ]] || fail '8 columns of --residual'

# a start is the sphere's
expect 0 "$CAFE" embed "$karate" -q -k 8 --columns-from top --output-form raw -o raw.npy
expect 0 "$CAFE" embed "$karate" -q --columns-from top+hubs --start raw.npy -o from.npy --json r.json -f
[[ $(json_value r.json columns) == 8 ]] || fail 'columns of a start'
expect 1 "$CAFE" embed "$karate" -q --columns-from hubs --start raw.npy -o from.npy -f
says 'hubs take no start vectors'

# together with the other steps
expect 0 "$CAFE" embed "$karate" -q -k 8 --columns-from top+hubs --propagate -o p.npy --json r.json -f
[[ $(json_value r.json columns) == 8 ]] || fail 'columns of the propagation'
expect 0 "$CAFE" embed "$karate" -q -k 8 --columns-from top+hubs --residual 1e-3 -o p.npy -f
expect 2 "$CAFE" embed "$karate" --method cafe --columns-from top+hubs -o x.npy
says '--columns-from does not go with --method cafe'

# the others read them
expect 0 "$CAFE" embed "$karate" -q -k 8 --columns-from top+hubs -o v.npy -f --json r.json
expect 0 "$CAFE" explain "$karate" v.npy --json e.json
expect 0 "$CAFE" plot "$karate" v.npy --report r.json -o page.html -q
expect 0 "$CAFE" plot "$karate" v.npy -o m.tsv -q
printf 'a 0\na 1\nb 33\n' >new.in.txt
expect 0 "$CAFE" embed "$karate" -q -k 8 -o v.npy -f
expect 0 "$CAFE" place "$karate" v.npy new.in.txt --form scaled -q -o placed.tsv
awk -F '\t' 'NF != 9 { exit 1 } END { exit NR != 3 }' placed.tsv || fail 'a heading and two rows of 8 columns placed'

# a graph whose sphere lacks most columns
email=$SOURCE/../shared/data/email-eu-core/edges.txt
if [[ -f $email ]]; then
    for seed in 1 2 3; do
        expect 0 "$CAFE" embed "$email" -q -k 64 --columns-from auto --seed "$seed" -o v.npy -f --json r.json
        [[ $(json_value r.json columns) == 64 ]] || fail "email-eu-core: 64 columns"
    done
fi
