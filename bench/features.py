"""Accuracy of classes from vectors of the graph, of features, of both, of the twisted sampling, and of features averaged over neighbours.

    python3 bench/features.py FOLDER|SEED ...

A folder has edges.txt (or .gz), labels.txt and features.npz (CSR of scipy); a number is the seed of a
generated graph. All vectors have 128 columns, rows of length 1. Training: 20 nodes a class, or 10, 50 and 90 % of
the nodes; logistic regression with C = 10; mean and standard deviation of the repeats. Needs numpy, scipy and scikit-learn, and build/cafe.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression

TOOL, COLUMNS = os.environ.get("CAFE", "build/cafe"), 128
PARTS = {"20 a class": 5, .1: 3, .5: 2, .9: 2}  # repeats


def generated(seed, folder):
    """Classes of several sizes, each of two groups of nodes with more edges inside, and texts of 20 words, a few on topic."""
    rng = np.random.default_rng(seed)
    n, classes, words = 6000, 8, 1000
    truth = rng.choice(classes, n, p=rng.dirichlet(np.full(classes, 4.)))
    group, weight = 2 * truth + rng.integers(0, 2, n), rng.pareto(2.5, n) + 1
    m = n * 5
    source, target = rng.choice(n, (2, m), p=weight / weight.sum())
    for k in range(2 * classes):
        inside = np.flatnonzero(group == k)
        moved = np.flatnonzero((group[source] == k) & (rng.random(m) < .5))
        target[moved] = rng.choice(inside, len(moved), p=weight[inside] / weight[inside].sum())
    background, topics = rng.dirichlet(np.full(words, .1)), rng.dirichlet(np.full(words, .02), classes)
    text = np.where(rng.random((n, 20)) < .12,
                    np.array([rng.choice(words, 20, p=topics[c]) for c in truth]),
                    rng.choice(words, (n, 20), p=background))
    table = sp.csr_matrix((np.ones(20 * n), (np.repeat(np.arange(n), 20), text.ravel())), (n, words))
    np.savetxt(folder / "edges.txt", np.column_stack([source, target]), fmt="%d")
    np.savetxt(folder / "labels.txt", np.column_stack([np.arange(n), truth]), fmt="%d")
    sp.save_npz(folder / "features.npz", table)


def embedded(folder, *options):
    """Vectors, and the ids of their nodes."""
    edges = next(folder / name for name in ("edges.txt", "edges.txt.gz") if (folder / name).exists())
    with tempfile.TemporaryDirectory() as made:
        out = pathlib.Path(made, "v.npy")
        subprocess.run([TOOL, "embed", edges, "-q", "-o", out, "-k", str(COLUMNS), *options], check=True,
                       stderr=subprocess.DEVNULL)
        rows, names = np.load(out), pathlib.Path(f"{out}.names.txt")
        return rows, np.loadtxt(names, dtype=int) if names.exists() else np.arange(len(rows))


def averaged(folder, table, nodes):
    """S^2 X with S = D^-1/2 (A + I) D^-1/2."""
    edges = next(folder / name for name in ("edges.txt", "edges.txt.gz") if (folder / name).exists())
    u, w = np.searchsorted(nodes, np.loadtxt(edges, dtype=int)[:, :2].T)
    links = sp.coo_matrix((np.ones(len(u)), (u, w)), (len(nodes),) * 2)
    links = ((links + links.T + sp.identity(len(nodes))) > 0).astype(float)
    scale = sp.diags(np.asarray(links.sum(1)).ravel() ** -.5)
    return (scale @ links @ scale) @ ((scale @ links @ scale) @ table)


def rare(table):
    """Words weighted by their rareness, rows of length 1."""
    count = np.bincount(table.indices, minlength=table.shape[1])
    table = table @ sp.diags(1 + np.log((1 + table.shape[0]) / (1 + count)))
    length = np.sqrt(np.asarray(table.multiply(table).sum(1)).ravel())
    return sp.csr_matrix(sp.diags(1 / np.where(length > 0, length, 1)) @ table)


def unit(rows):
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1)


def accuracies(rows, truth, part, repeats):
    found = []
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(truth))
        if isinstance(part, str):
            train = np.concatenate([order[truth[order] == c][:20] for c in np.unique(truth)])
        else:
            train = order[:int(part * len(truth))]
        test = np.setdiff1d(order, train)
        model = LogisticRegression(C=10, max_iter=100).fit(rows[train], truth[train])
        found.append((model.predict(rows[test]) == truth[test]).mean())
    return found


def compare(folder, name):
    graph, nodes = embedded(folder)
    table = rare(sp.csr_matrix(sp.load_npz(folder / "features.npz"))[nodes])
    known = {int(u): int(c) for u, c in (line.split() for line in open(folder / "labels.txt"))}
    truth = np.array([known[u] for u in nodes])
    reduced = TruncatedSVD(COLUMNS, random_state=0).fit_transform
    both = embedded(folder, "--features", folder / "features.npz")[0]
    text = reduced(table)
    with tempfile.TemporaryDirectory() as made:
        np.save(f"{made}/x.npy", text.astype(np.float32))
        twisted = embedded(folder, "--sampling", "twisted", "--attributes", f"{made}/x.npy")[0]
    kinds = {"graph": graph, "twisted": twisted, "features": text, "averaged": reduced(averaged(folder, table, nodes)), "both": both}
    for kind, rows in kinds.items():
        cells = [accuracies(unit(rows), truth, *item) for item in PARTS.items()]
        print(f"| {name} | {kind} |", " | ".join(f"{np.mean(c):.3f} ± {np.std(c):.3f}" for c in cells), "|", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| set | vectors |", " | ".join(str(p) for p in PARTS), "|\n|---|---|" + "---|" * len(PARTS))
    for word in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            if word.isdigit():
                generated(int(word), pathlib.Path(scratch))
            compare(pathlib.Path(scratch if word.isdigit() else word), word if word.isdigit() else pathlib.Path(word).name)
