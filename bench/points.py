"""Points whose groups PCA and k-means cannot tell apart, and cafe points with cafe cluster can.

Moons: two half circles that reach into each other. Digits: ten groups in 64 dimensions, each on a closed curve around
the same centre in a frame of its own. Images of one digit that is turned and sheared are like this. Both are blurred by
noise. Printed: adjusted Rand index and normalised mutual information with the true groups, for three seeds of the data
(mean).
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

CAFE = os.environ.get("CAFE", "build/cafe")


def moons(n, noise, rng):
    angle, group = np.pi * rng.random(n), np.arange(n) % 2
    x = np.where(group == 0, np.cos(angle), 1 - np.cos(angle))
    y = np.where(group == 0, np.sin(angle), 0.5 - np.sin(angle))
    return np.c_[x, y] + noise * rng.standard_normal((n, 2)), group


def digits(n, noise, rng, groups=10, dims=64):
    group, angle, x = np.arange(n) % groups, 2 * np.pi * rng.random(n), np.empty((n, dims))
    for g in range(groups):
        frame = np.linalg.qr(rng.standard_normal((dims, 4)))[0].T
        a = angle[group == g]
        curve = np.c_[np.cos(a), np.sin(a), np.cos(2 * a) / 2, np.sin(2 * a) / 2]
        x[group == g] = curve @ frame
    return x + noise * rng.standard_normal((n, dims)), group


def table(a, b):
    counts = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(counts, (a, b), 1)
    return counts


def rand_index(a, b):
    c = table(a, b)
    pairs = lambda m: (m * (m - 1) / 2).sum()
    rows, columns, total = pairs(c.sum(1)), pairs(c.sum(0)), pairs(np.array([c.sum()]))
    expected = rows * columns / total
    return (pairs(c) - expected) / ((rows + columns) / 2 - expected)


def mutual_information(a, b):
    p = table(a, b) / len(a)
    rows, columns = p.sum(1), p.sum(0)
    entropy = lambda q: -(q[q > 0] * np.log(q[q > 0])).sum()
    return 2 * (entropy(rows) + entropy(columns) - entropy(p)) / (entropy(rows) + entropy(columns))


def principal(x, columns):
    centred = x - x.mean(0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][:columns].T


def k_means(x, k, rng, starts=10):
    best, labels = np.inf, None
    for _ in range(starts):
        centres = x[rng.choice(len(x), k, replace=False)]
        for _ in range(100):
            squares = ((x[:, None] - centres[None]) ** 2).sum(2) if k * x.size < 4e7 else None
            if squares is None:
                squares = (x**2).sum(1)[:, None] - 2 * x @ centres.T + (centres**2).sum(1)
            found = squares.argmin(1)
            moved = np.array([x[found == j].mean(0) if (found == j).any() else centres[j] for j in range(k)])
            if np.allclose(moved, centres):
                break
            centres = moved
        cost = squares.min(1).sum()
        if cost < best:
            best, labels = cost, found
    return labels


def run(*words):
    subprocess.run([CAFE, *map(str, words)], check=True)


def link(x, folder):
    points, graph, report = (os.path.join(folder, f) for f in ("x.npy", "x.cafe", "x.json"))
    np.save(points, x.astype(np.float32))
    run("points", points, "-o", graph, "-q", "-f", "--json", report)
    return graph, json.load(open(report))["graph"]["components"]


def cluster(graph, folder, resolution):
    out = os.path.join(folder, "x.tsv")
    run("cluster", graph, "-o", out, "-q", "-f", "--resolution", resolution)
    return np.loadtxt(out, dtype=int)[:, 1]


def compare(name, make, k, resolution, folder):
    rows, parts = {}, []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, group = make(rng)
        graph, components = link(x, folder)
        parts.append(components)
        found = {
            "PCA to %d columns, k-means" % min(k, x.shape[1]): k_means(principal(x, min(k, x.shape[1])), k, rng),
            "k-means": k_means(x, k, rng),
            "cafe points, cafe cluster": cluster(graph, folder, 1),
            "cafe points, cafe cluster --resolution %g" % resolution: cluster(graph, folder, resolution),
        }
        for method, labels in found.items():
            rows.setdefault(method, []).append(
                (labels.max() + 1, rand_index(group, labels), mutual_information(group, labels)))
    for method, figures in rows.items():
        mean = np.mean(figures, axis=0)
        print("| %s | %s | %.1f | %.3f | %.3f |" % (name, method, *mean), flush=True)
    print("| %s | components of the graph | %s | | |" % (name, ", ".join(map(str, parts))), flush=True)


def ranges(name, make, k, resolutions, seeds, folder):
    """Of how many seeds the k groups come out (and no other), and the smallest Rand index among these."""
    right = {r: [] for r in resolutions}
    for seed in range(seeds):
        x, group = make(np.random.default_rng(seed))
        graph, _ = link(x, folder)
        for r in resolutions:
            labels = cluster(graph, folder, r)
            if labels.max() + 1 == k:
                right[r].append(rand_index(group, labels))
    for r, found in right.items():
        print("| %s | %g | %d of %d | %.3f |" % (name, r, len(found), seeds, min(found, default=0)), flush=True)


def speed(n, folder):
    x = digits(n, 0.2 / np.sqrt(64), np.random.default_rng(7))[0].astype(np.float32)
    points, report = os.path.join(folder, "s.npy"), os.path.join(folder, "s.json")
    np.save(points, x)
    for approximate in ("no", "yes"):
        graph = os.path.join(folder, "s%s.txt" % approximate)
        run("points", points, "-o", graph, "-q", "-f", "--tune", "approximate=" + approximate, "--json", report)
        seconds = json.load(open(report))["seconds"]["link"]
        print("| %d | %s | %.2f |" % (n, "approximate" if approximate == "yes" else "exact", seconds), flush=True)
    edges = [set(map(tuple, np.loadtxt(os.path.join(folder, "s%s.txt" % a), usecols=(0, 1), dtype=int)))
             for a in ("no", "yes")]
    print("edges of the exact graph found: %.4f" % (len(edges[0] & edges[1]) / len(edges[0])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=20000)
    parser.add_argument("--ranges", type=int, metavar="SEEDS", help="which resolutions find the groups, instead")
    n, seeds = parser.parse_args().points, parser.parse_args().ranges
    with tempfile.TemporaryDirectory() as folder:
        if seeds:
            print("| data | resolution | groups found | smallest ARI |\n|---|---|---|---|")
            ranges("moons", lambda rng: moons(2000, 0.1, rng), 2, (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03), seeds, folder)
            ranges("digits", lambda rng: digits(5000, 0.15, rng), 10, (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7), seeds, folder)
            return
        print("| data | method | groups | ARI | NMI |\n|---|---|---|---|---|")
        compare("moons", lambda rng: moons(2000, 0.1, rng), 2, 0.01, folder)
        compare("digits", lambda rng: digits(5000, 0.15, rng), 10, 0.3, folder)
        print("\n| points | search | seconds |\n|---|---|---|")
        speed(n, folder)


main()
