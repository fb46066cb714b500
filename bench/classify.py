"""Accuracy of XGBoost on embedding vectors: mean and spread over random splits and seeds."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import xgboost


def read_labels(path):
    """node -> first label, as integers; the number of labelled nodes' largest id + 1."""
    nodes, words = [], []
    for line in open(path):
        parts = line.split()
        if len(parts) >= 2 and parts[0][0] not in "#%":
            nodes.append(int(parts[0]))
            words.append(parts[1].split(",")[0])
    return np.array(nodes), np.unique(words, return_inverse=True)[1]


def embed(graph, nodes, seed, options, folder):
    """Vectors and report of one run of the command line tool."""
    out, report = folder / "v.npy", folder / "v.json"
    subprocess.run(["build/cafe", "embed", str(graph), "-o", str(out), "-f", "-q", "--json",
                    str(report), "--seed", str(seed), "--nodes", str(nodes)] + options, check=True)
    return np.load(out), json.load(open(report))


def accuracy(x, y, share, split):
    """One random split; classes absent from the training half count as misses."""
    order = np.random.default_rng(split).permutation(len(y))
    cut = int(round(share * len(y)))
    train, test = order[:cut], order[cut:]
    classes, target = np.unique(y[train], return_inverse=True)
    settings = dict(objective="multi:softmax", num_class=len(classes), max_depth=6, eta=0.3,
                    tree_method="hist", max_bin=32, verbosity=0, nthread=os.cpu_count())
    model = xgboost.train(settings, xgboost.DMatrix(x[train], label=target), 100)
    guess = classes[model.predict(xgboost.DMatrix(x[test])).astype(int)]
    return float((guess == y[test]).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("CAFE_DATA", "../shared/data"))
    parser.add_argument("--sets", default="cora,wiki")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--shares", default="0.1,0.5")
    parser.add_argument("options", nargs="*", help="after --: options of cafe embed")
    a = parser.parse_args()
    shares = [float(s) for s in a.shares.split(",")]
    print("| set | nodes | sweeps | columns | objective | effective rank | " +
          " | ".join(f"{s:.0%} labels" for s in shares) + " |")
    print("|---|---|---|---|---|---|" + "---|" * len(shares))
    for name in a.sets.split(","):
        folder = pathlib.Path(a.data) / name
        graph = next((folder / f for f in ("edges.txt", "edges.txt.gz") if (folder / f).exists()), None)
        if graph is None:
            print(f"| {name} | not found under {a.data} |")
            continue
        nodes, y = read_labels(folder / "labels.txt")
        n = max(int(nodes.max()) + 1, count_nodes(graph))
        scores = [[] for _ in shares]
        with tempfile.TemporaryDirectory() as scratch:
            for repeat in range(a.repeats):
                x, report = embed(graph, n, repeat + 1, a.options, pathlib.Path(scratch))
                for s, share in enumerate(shares):
                    scores[s].append(accuracy(x[nodes], y, share, repeat))
        cells = " | ".join(f"{np.mean(s):.3f} ± {np.std(s):.3f}" for s in scores)
        print(f"| {name} | {n} | {report['sweeps']} | {report['columns']} | "
              f"{report['objective'][-1]:.4f} | {report['effective_rank']:.1f} | {cells} |", flush=True)


def count_nodes(graph):
    """Largest id of the edge list + 1."""
    return int(np.loadtxt(graph, dtype=np.int64, usecols=(0, 1), comments=["#", "%"]).max()) + 1


if __name__ == "__main__":
    main()
