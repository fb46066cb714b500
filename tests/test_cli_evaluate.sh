#!/usr/bin/env bash
# cafe evaluate: figures, reports, splits by seed, labels that must not leak, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

"$CAFE" generate sbm --nodes 300 --edges 3000 --blocks 3 --mixing 0.2 -q -o g.in.txt --labels l.in.txt

# ---- labels that are no classes get figures, and a warning that these say nothing
printf '0 a\n1 a\n2 a\n3 a\n' >alike.in.txt
printf '0 a\n1 b\n2 c\n3 d\n' >own.in.txt
expect 0 "$CAFE" evaluate classify g.in.txt --labels alike.in.txt --repeats 2 -k 4
says 'warning: all labels are alike'
expect 0 "$CAFE" evaluate classify g.in.txt --labels own.in.txt --repeats 2 -k 4 --train 0.5
says 'warning: there are as many labels as labelled nodes'

# ---- shares that cannot be
expect 1 "$CAFE" evaluate classify g.in.txt --labels l.in.txt --train 400
says '300 nodes are labelled: there are not 400 to train on and 1 to test on'
expect 1 "$CAFE" evaluate classify g.in.txt --labels l.in.txt --train 0.5 --tune test=200
says '300 nodes are labelled: there are not 150 to train on and 200 to test on'
expect 1 "$CAFE" evaluate classify g.in.txt --labels l.in.txt --train 2.5
says '2.5 to train on: expected a share below 1 or a whole number of nodes'
expect 1 "$CAFE" evaluate link g.in.txt --train 5
says '5 to train on: expected a share between 0 and 1'

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
awk '/%/ { exit !($2 > 0.8) }' .last/out || fail "three clear blocks are not distinguished"

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
if "${classify[@]}" -q -k 8 --repeats 1 --train 0.3 --classifier xgboost --tune trees=10 >xgboost.out 2>xgboost.err; then
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
spread=("${classify[@]}" --method label-propagation --tune kind=spreading --classifier none --repeats 3 --train '0.1,0.3')
expect 0 "${spread[@]}" -q --tune alpha=0.5 --json fixed.json
expect 0 "${spread[@]}" -q --choose alpha=0.5 --json one.json
figures() { grep -E '"(mean|std)"' "$1"; }
[[ $(figures fixed.json) == "$(figures one.json)" ]] || fail "a choice of one is not the setting itself"
expect 0 "${spread[@]}" --choose alpha=0,0.5:sweeps=0,50 --tune folds=3 --json chosen.json
says 'chosen +0 +0 times, by share: alpha=0 sweeps=0'
says 'chosen +3 +3 times, by share: alpha=0.5 sweeps=50'
json_check chosen.json
[[ $(figures fixed.json) == "$(figures chosen.json)" ]] || fail "the best of the grid was not taken"
expect 0 "${classify[@]}" -q --method sphere --classifier logistic --repeats 1 --train 0.2 --choose columns=1,8 --json columns.json
grep -q '^      "columns": 8,' columns.json || fail "eight columns tell three blocks better than one"
expect 0 "${classify[@]}" -q --method cafe --supervised --output-form raw --classifier none --repeats 1 --train 0.2 --sampling walk --choose window=1,3
expect 2 "${spread[@]}" --choose beta=1
says "has no option 'beta'"
expect 2 "${spread[@]}" --choose alpha=7
for list in alpha 'alpha=' '=1' 'alpha=1:' ','; do
    expect 2 "${spread[@]}" --choose "$list"
    says 'takes a list such as'
done
expect 2 "${classify[@]}" --embedding onehot.in.tsv --choose alpha=1

# ---- several methods on the same splits
"$CAFE" generate sbm --nodes 300 --edges 3000 --blocks 3 --mixing 0.5 -q -o hard.in.txt --labels hard.in.labels
several=("$CAFE" evaluate classify hard.in.txt --labels hard.in.labels --classifier logistic --repeats 4 --train '0.1,0.5')
expect 0 "${several[@]}" --methods sphere,spectral:columns=3,hope -k 8 --json several.json
prints '^ train +method +micro_f1 +rank +less the first +t +p +seconds'
prints '^   10%  sphere +0\.[0-9]+ ± 0\.[0-9]+ +[123](\.5)? '
prints '^        spectral:columns=3 +[01]\.[0-9]+ ± 0\.[0-9]+ +[123](\.5)? +[-+]0\.[0-9]+ ± 0\.[0-9]+ +[-0-9.]+ +[01]\.[0-9]+ '
says 'allow for overlap'
json_check several.json
[[ $(grep -c '^          "columns": 8,' several.json) -eq 4 ]] || fail "--columns does not count for all methods"
[[ $(grep -c '^          "columns": 3,' several.json) -eq 2 ]] || fail "columns of the list do not count"
# a method's figures are those it has alone, wherever it stands in the list
means() { grep -A1 -E '^ +"(accuracy|micro_f1|macro_f1|auc|auc_paper)": \{' "$1" | grep -E '"mean"' | tr -d ' '; }
expect 0 "${several[@]}" -q --methods hope,spectral:columns=3,sphere -k 8 --json turned.json
expect 0 "${several[@]}" -q --method spectral --columns 3 --json alone.json
diff <(means several.json | sed -n 1,10p) <(means turned.json | sed -n 21,30p) >&2 || fail "the order of the methods changes figures"
for file in several.json turned.json; do
    diff <(means $file | sed -n 11,20p) <(means alone.json) >&2 || fail "$file: not the figures of the method alone"
done
expect 0 "${several[@]}" -q --methods spectral:columns=3 --json single.json
expect 0 "${several[@]}" -q --methods sphere,sphere
prints '^ train +method +micro_f1'
prints '^   10%  sphere .* 1\.5 '
prints '\+0\.0000 ± 0\.0000 +N/A +N/A'
expect 0 "${classify[@]}" -q --classifier none --repeats 2 --methods label-propagation,cafe:supervised:output-form=raw --train 0.2
prints 'cafe:supervised:output-form=raw'
# the paired test, computed again
if /usr/bin/python3 -c 'import scipy.stats' 2>/dev/null; then
    cat >paired.in.py <<'TEXT'
import json, sys
import numpy as np
from scipy import stats

report = json.load(open(sys.argv[1]))
first, checked = report["methods"][0], 0
for method in report["methods"]:
    for share, own, base in zip(method["results"], method["against_first"], first["against_first"]):
        for metric in ("accuracy", "micro_f1", "macro_f1", "auc", "auc_paper"):
            a, b = np.array(own[metric]["values"]), np.array(base[metric]["values"])
            assert np.isclose(a.mean(), share[metric]["mean"]) and np.isclose(a.std(ddof=1), share[metric]["std"])
            means = [m["results"][method["results"].index(share)][metric]["mean"] for m in report["methods"]]
            rank = stats.rankdata([-x for x in means])[report["methods"].index(method)]
            assert rank == own[metric]["rank"], (rank, own[metric])
            if method is first or (a == b).all():
                continue
            d, r = a - b, len(a)
            s = d.std(ddof=1)
            error = s * np.sqrt(1 / r + share["test_count"] / share["train_count"])
            ours = own[metric]
            assert np.isclose(ours["difference"], d.mean()) and np.isclose(ours["standard_error"], s / np.sqrt(r))
            assert np.isclose(ours["corrected_error"], error) and np.isclose(ours["t"], d.mean() / error)
            assert np.isclose(ours["p"], 2 * stats.t.sf(abs(d.mean() / error), r - 1), rtol=1e-9), ours
            checked += 1
assert checked > 0
TEXT
    expect 0 /usr/bin/python3 paired.in.py several.json
    expect 0 /usr/bin/python3 paired.in.py turned.json
else
    echo "skipped: no SciPy, so the paired test is not computed again"
fi
for list in 'sphere,' ',sphere' 'sphere,,gf' 'sphere:' ':window=2' 'sphere::window=2'; do
    expect 2 "${several[@]}" --methods "$list"
    says '--methods takes a list such as'
done
expect 2 "${several[@]}" --methods sphere,nobody
says "--method takes one of .* not 'nobody'"
expect 2 "${several[@]}" --methods sphere:windwo=2
says 'unknown option --windwo; did you mean --window'
expect 2 "${several[@]}" --methods hope:sweeps=2
says '--sweeps does not go with --method hope'
expect 2 "${several[@]}" --methods sphere:sweeps=many
says "--sweeps takes .* not 'many'"
expect 2 "${several[@]}" --methods sphere:repeats=2
says "'repeats' is no option of a method"
expect 2 "${several[@]}" --methods sphere --method hope
says 'not both'
expect 2 "${several[@]}" --methods sphere --sweeps 3
says 'stand in the list: sphere:sweeps=N, not --sweeps'
expect 2 "${several[@]}" --methods sphere --embedding onehot.in.tsv
says 'does not go with --embedding'
expect 2 "${several[@]}" --methods sphere --choose sweeps=1,2
says 'does not go with --choose'

# ---- the logistic regression: how strong it is held, and what scale its columns have
awk 'BEGIN { srand(1) } { printf "%s\t%.9g\t%.9g\n", $1, 1000 * ($2 + rand()), 1e-3 * rand() }' l.in.txt >scaled.in.tsv
awk '{ printf "%s\t%.9g\t%.9g\n", $1, $2 / 1000, $3 * 1000 }' scaled.in.tsv >even.in.tsv
logistic=("${classify[@]}" -q --classifier logistic --repeats 2 --train 0.5)
for vectors in scaled even; do
    expect 0 "${logistic[@]}" --embedding $vectors.in.tsv --json "$vectors.json"
    expect 0 "${logistic[@]}" --embedding $vectors.in.tsv --tune standardise=no --json "$vectors-raw.json"
    expect 0 "${logistic[@]}" --embedding $vectors.in.tsv --tune classifier-c=1e-6 --json "$vectors-held.json"
done
[[ $(means scaled.json) == "$(means even.json)" ]] || fail "standardised columns keep their scale"
[[ $(means scaled-raw.json) != "$(means even-raw.json)" ]] || fail "--tune standardise=no does nothing"
[[ $(means even.json) != "$(means even-held.json)" ]] || fail "--tune classifier-c does nothing"
grep -q '^    "classifier-c": 1,' even.json || fail "the report does not say C"
grep -q '^    "standardise": true,' even.json || fail "the report does not say that columns are standardised"
expect 0 "${classify[0]}" help tune
prints '^  classifier-c=C .*'
prints '^  standardise=yes\|no'
expect 2 "${logistic[@]}" --tune classifier-c=0
says '--tune classifier-c takes'

# labels without any relation to the graph cannot be predicted, unless they are shown
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
expect 0 "$CAFE" evaluate link g.in.txt -q -k 8 --tune operator=dot --classifier none --repeats 2 --train 0.5 --json link.json
prints '^ train +accuracy +f1 +auc +average_precision'
json_check link.json
awk '/%/ { exit !($6 > 0.6) }' .last/out || fail "edges within blocks are not found"
expect 0 "$CAFE" evaluate link g.in.txt -q -k 8 --tune protocol=honest --tune operator=hadamard --classifier logistic --repeats 2 --train 0.8 --json honest.json
grep -q '"links_hidden": ' honest.json || fail "the honest protocol hides edges"
expect 0 "$CAFE" evaluate link g.in.txt -k 4 --tune operator=dot --classifier none --repeats 1 --train 0.01
says 'edges could be hidden without cutting'
expect 2 "$CAFE" evaluate link g.in.txt --tune protocol=honest --embedding onehot.in.tsv
says 'needs a method'

# ---- cluster
expect 0 "$CAFE" evaluate cluster g.in.txt --labels l.in.txt --json cluster.json
prints '^NMI 0.9|^NMI 1'
json_check cluster.json
# the wanted average of the measure is heard
expect 0 "$CAFE" evaluate cluster g.in.txt --labels l.in.txt --sampling twisted --tune measure=category \
    --attributes l.in.txt --tune twist-mean=0.9
says 'average 0.9000'
expect 0 "$CAFE" evaluate cluster g.in.txt --labels l.in.txt --communities l.in.txt
prints '^NMI 1.000000, ARI 1.000000 over 300 nodes'

# ---- help and refusals
expect 0 "$CAFE" evaluate --help
prints 'classify +predict'
expect 0 "$CAFE" evaluate classify --help
prints '--supervised'
expect 0 "$CAFE" help evaluate link
prints '--tune protocol'
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
expect 1 "$CAFE" evaluate classify g.in.txt --labels g.in.txt --method label-propagation --classifier none
says 'several labels'
