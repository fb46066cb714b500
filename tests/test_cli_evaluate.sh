#!/usr/bin/env bash
# cafe evaluate: figures, reports, splits by seed, labels that must not leak, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

"$CAFE" generate sbm --nodes 300 --edges 3000 --blocks 3 --mixing 0.2 -q -o g.in.txt --labels l.in.txt

# ---- classify, by a classifier that needs no other library
classify=("$CAFE" evaluate classify g.in.txt --labels l.in.txt)
expect 0 "${classify[@]}" -q --method label-propagation --classifier none --repeats 4 --json r.json
prints '^ train +accuracy +micro_f1 +macro_f1 +auc +auc_paper'
[[ $(grep -c '%' .last/out) -eq 3 ]] || fail "three shares by default"
json_check r.json
[[ $(grep -c '"train": ' r.json) -eq 3 ]] || fail "results of three shares"
for key in accuracy micro_f1 macro_f1 auc auc_paper; do
    [[ $(grep -c "\"$key\": {" r.json) -eq 3 ]] || fail "figures of $key"
done
awk '/%/ { exit !($2 > 0.8) }' .last/out || fail "three clear blocks are not told apart"

# the same figures for any number of threads, others for another seed
strip() { grep -vE 'seconds|"threads"|"embed"|"evaluate"|"total"' "$1"; }
for threads in 1 3; do
    expect 0 "${classify[@]}" -q --method label-propagation --classifier none --repeats 4 -t $threads --json "t$threads.json"
done
[[ $(strip t1.json) == "$(strip t3.json)" ]] || fail "threads change the figures"
expect 0 "${classify[@]}" -q --method label-propagation --classifier none --repeats 4 --seed 2 --json s.json
[[ $(strip t1.json) != "$(strip s.json)" ]] || fail "the seed does nothing"

# ---- vectors of a file: the labels themselves classify perfectly
awk '{ printf "%s\t%d\t%d\t%d\n", $1, $2 == 0, $2 == 1, $2 == 2 }' l.in.txt >onehot.in.tsv
expect 0 "${classify[@]}" -q --embedding onehot.in.tsv --classifier none --repeats 2 --train 0.5
awk '/%/ { exit !($2 == 1) }' .last/out || fail "one column a class is not perfect"
expect 1 "${classify[@]}" -q --method sphere -k 8 --classifier none
says 'there are 8 columns and 3 classes'

# ---- the classifiers, where their libraries are
expect 0 "${classify[@]}" -q --method sphere -k 8 --classifier logistic --repeats 2 --train 0.3
awk '/%/ { exit !($2 > 0.9) }' .last/out || fail "logistic regression on sphere vectors"
if "${classify[@]}" -q -k 8 --repeats 1 --train 0.3 --trees 10 >xgboost.out 2>xgboost.err; then
    awk '/%/ { exit !($2 > 0.9) }' xgboost.out || fail "XGBoost on sphere vectors"
elif grep -q 'XGBoost' xgboost.err; then
    echo "skipped: $(cat xgboost.err)"
else
    fail "XGBoost: $(cat xgboost.err)"
fi
rm xgboost.*

# ---- methods that are handed the training labels, for every split anew
expect 0 "${classify[@]}" -q --method cafe --supervised --repeats 2 --output-form raw --classifier none --json c.json
awk '/%/ { exit !($2 > 0.9) }' .last/out || fail "semi-supervised softmax on clear blocks"

# ---- settings chosen in every split by the training nodes alone
spread=("${classify[@]}" --method label-propagation --kind spreading --classifier none --repeats 3 --train '0.1,0.3')
expect 0 "${spread[@]}" -q --alpha 0.5 --json fixed.json
expect 0 "${spread[@]}" -q --choose alpha=0.5 --json one.json
figures() { grep -E '"(mean|std)"' "$1"; }
[[ $(figures fixed.json) == "$(figures one.json)" ]] || fail "a choice of one is not the setting itself"
expect 0 "${spread[@]}" --choose alpha=0,0.5:sweeps=0,50 --folds 3 --json chosen.json
says 'chosen +0 +0 times, by share: alpha=0 sweeps=0'
says 'chosen +3 +3 times, by share: alpha=0.5 sweeps=50'
json_check chosen.json
[[ $(figures fixed.json) == "$(figures chosen.json)" ]] || fail "the best of the grid was not taken"
expect 0 "${classify[@]}" -q --method sphere --classifier logistic --repeats 1 --train 0.2 --choose columns=1,8 --json columns.json
grep -q '^      "columns": 8,' columns.json || fail "eight columns tell three blocks better than one"
expect 0 "${classify[@]}" -q --method cafe --supervised --output-form raw --classifier none --repeats 1 --train 0.2 --sampling walk --choose window=1,3
expect 2 "${spread[@]}" --choose beta=1
says "has no setting 'beta'"
expect 2 "${spread[@]}" --choose alpha=7
for list in alpha 'alpha=' '=1' 'alpha=1:' ','; do
    expect 2 "${spread[@]}" --choose "$list"
    says 'takes a list such as'
done
expect 2 "${classify[@]}" --embedding onehot.in.tsv --choose alpha=1

# labels without any relation to the graph cannot be foretold, unless they are shown
awk '{ print $1, ($1 * 7919 + 3) % 101 % 3 }' l.in.txt >noise.in.txt
noise=("$CAFE" evaluate classify g.in.txt --labels noise.in.txt --method cafe --output-form raw --classifier none -q --repeats 2 --train 0.5)
expect 0 "${noise[@]}" --supervised
awk '/%/ { exit !($2 < 0.5) }' .last/out || fail "labels of test nodes are seen"
expect 0 "${noise[@]}" --full-label
awk '/%/ { exit !($2 == 1) }' .last/out || fail "--full-label does not show the labels"
expect 2 "${classify[@]}" --method gf --full-label
says 'go with methods that can use labels'

# ---- isolated labelled nodes, several labels
{ cat l.in.txt; echo '900 1'; } >iso.in.txt
expect 0 "$CAFE" evaluate classify g.in.txt --labels iso.in.txt --method label-propagation --classifier none --repeats 1
says '1 node of iso.in.txt without an edge'
awk '{ print $1, $2 "," ($2 + 1) % 3 }' l.in.txt >multi.in.txt
expect 0 "$CAFE" evaluate classify g.in.txt --labels multi.in.txt -k 8 --classifier logistic --repeats 1 --train 0.5
says 'some by several'
awk '/%/ { exit !($3 > 0.9) }' .last/out || fail "two labels a node by the top-k rule"
expect 1 "$CAFE" evaluate classify g.in.txt --labels multi.in.txt --method label-propagation --classifier none
says 'several labels'

# ---- link
expect 0 "$CAFE" evaluate link g.in.txt -q -k 8 --operator dot --classifier none --repeats 2 --train 0.5 --json link.json
prints '^ train +accuracy +f1 +auc +average_precision'
json_check link.json
awk '/%/ { exit !($6 > 0.6) }' .last/out || fail "links within blocks are not found"
expect 0 "$CAFE" evaluate link g.in.txt -q -k 8 --protocol honest --operator hadamard --classifier logistic --repeats 2 --train 0.8 --json honest.json
grep -q '"links_hidden": ' honest.json || fail "the honest protocol hides links"
expect 0 "$CAFE" evaluate link g.in.txt -k 4 --operator dot --classifier none --repeats 1 --train 0.01
says 'links could be hidden without cutting'
expect 2 "$CAFE" evaluate link g.in.txt --protocol honest --embedding onehot.in.tsv
says 'needs a method'

# ---- cluster
expect 0 "$CAFE" evaluate cluster g.in.txt --labels l.in.txt --json cluster.json
prints '^NMI 0.9|^NMI 1'
json_check cluster.json
# the wanted average of the measure is heard
expect 0 "$CAFE" evaluate cluster g.in.txt --labels l.in.txt --sampling twisted --measure category \
    --attributes l.in.txt --twist-mean 0.9
says 'average 0.9000'
expect 0 "$CAFE" evaluate cluster g.in.txt --labels l.in.txt --communities l.in.txt
prints '^NMI 1.000000, ARI 1.000000 over 300 nodes'

# ---- help and refusals
expect 0 "$CAFE" evaluate --help
prints 'classify +predict'
expect 0 "$CAFE" evaluate classify --help
prints '--supervised'
expect 0 "$CAFE" help evaluate link
prints '--protocol'
expect 2 "$CAFE" evaluate
says 'no task given'
expect 2 "$CAFE" evaluate guess g.in.txt
says "unknown task 'guess'"
expect 2 "$CAFE" evaluate classify g.in.txt
says 'no labels: give'
expect 2 "${classify[@]}" --train 0.1,nonsense
says '--train takes shares'
expect 2 "${classify[@]}" --embedding onehot.in.tsv --method gf
says 'give one of the two'
expect 2 "${classify[@]}" --method deepwalk --sampling walk
says '--sampling does not go with --method deepwalk'
expect 2 "${classify[@]}" --method shpere
says '--method takes one of'
expect 3 "$CAFE" evaluate classify g.in.txt --labels g.in.txt --method label-propagation --classifier none
