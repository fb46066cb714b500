#!/usr/bin/env bash
# The figures of a classification are scikit-learn's. Ten nodes, five of them in training: which
# five, the tool does not tell, so its figures must be those of one of the 252 splits.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

python=/usr/bin/python3
if ! "$python" -c 'import sklearn.metrics' 2>/dev/null; then
    echo "skipped: $python has no scikit-learn"
    exit 77
fi
cat >check.in.py <<'TEXT'
import itertools, json, subprocess, sys, warnings
import numpy as np
from sklearn.metrics import f1_score, accuracy_score

warnings.simplefilter("ignore")
NODES, CLASSES = 10, 7

def figures(truth, scores, test, several):
    y = np.zeros((len(test), CLASSES), int)
    p = np.zeros_like(y)
    for i, u in enumerate(test):
        y[i, truth[u]] = 1
        p[i, np.argsort(-scores[u])[: len(truth[u])]] = 1
    if not several:
        y, p = y.argmax(1), p.argmax(1)
    return (accuracy_score(y, p), f1_score(y, p, average="micro"), f1_score(y, p, average="macro"))

for seed in range(12):
    random, several = np.random.default_rng(seed), seed % 2 == 0
    # every class has a node, in the order of the classes, so that their numbers are ours
    truth = [[u % CLASSES] for u in range(NODES)]
    for labels in truth:
        if several and random.random() < 0.5:
            labels.append(int(random.integers(CLASSES)))
    truth = [sorted(set(labels)) for labels in truth]
    scores = random.random((NODES, CLASSES)).astype(np.float32)
    for u in range(NODES):
        scores[u, truth[u]] += np.float32(0.3)
    with open("edges.in.txt", "w") as file:
        file.writelines(f"{u} {(u + 1) % NODES}\n" for u in range(NODES))
    with open("labels.in.txt", "w") as file:
        file.writelines(f"{u} {','.join(map(str, truth[u]))}\n" for u in range(NODES))
    with open("scores.in.tsv", "w") as file:
        file.writelines("\t".join([str(u)] + [repr(float(x)) for x in scores[u]]) + "\n" for u in range(NODES))
    out = subprocess.run(
        [sys.argv[1], "evaluate", "classify", "edges.in.txt", "--labels", "labels.in.txt", "--embedding",
         "scores.in.tsv", "--classifier", "none", "--tune", "split=uniform", "--train", "5", "--repeats", "1",
         "--seed", str(seed), "-q", "--json", "-"], check=True, capture_output=True, text=True).stdout
    result = json.loads(out)["results"][0]
    ours = [result[key]["mean"] for key in ("accuracy", "micro_f1", "macro_f1")]
    all_of = {figures(truth, scores, t, several) for t in itertools.combinations(range(NODES), 5)}
    assert any(np.allclose(ours, f, rtol=0, atol=1e-12) for f in all_of), (seed, several, ours)
TEXT
expect 0 "$python" check.in.py "$CAFE"
