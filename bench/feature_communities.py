"""Communities of the graph, and of graph and features, against the classes of the nodes.

    python3 bench/feature_communities.py FOLDER ...

A folder has edges.txt (or .gz), labels.txt and features.npz (CSR of scipy). Needs build/cafe.
"""
import collections
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

TOOL = os.environ.get("CAFE", "build/cafe")


def agreement(a, b):
    """Normalised mutual information, and the adjusted Rand index."""
    n, both = len(a), collections.Counter(zip(a, b))
    one, other = collections.Counter(a), collections.Counter(b)

    def entropy(sizes):
        return -sum(s / n * math.log(s / n) for s in sizes.values())

    def pairs(sizes):
        return sum(s * (s - 1) / 2 for s in sizes.values())

    shared = sum(s / n * math.log(s * n / (one[x] * other[y])) for (x, y), s in both.items())
    chance = pairs(one) * pairs(other) / (n * (n - 1) / 2)
    return (2 * shared / (entropy(one) + entropy(other)),
            (pairs(both) - chance) / ((pairs(one) + pairs(other)) / 2 - chance))


def clustered(folder, *options):
    """The community of each node, and the seconds of the processor."""
    edges = next(folder / name for name in ("edges.txt", "edges.txt.gz") if (folder / name).exists())
    with tempfile.TemporaryDirectory() as made:
        out, before = pathlib.Path(made, "p.tsv"), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([TOOL, "cluster", edges, "-q", "-o", out, *options], check=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return dict(line.split()[:2] for line in out.read_text().splitlines()[1:]), seconds


if __name__ == "__main__":
    print("| set | weight | communities | NMI | ARI | CPU seconds |\n|---|---|---|---|---|---|")
    for word in sys.argv[1:]:
        folder = pathlib.Path(word)
        known = dict(line.split()[:2] for line in (folder / "labels.txt").read_text().splitlines())
        for weight in ["none", "auto", "0.2", "0.5"]:
            features = [] if weight == "none" else ["--features", folder / "features.npz", "--feature-weight", weight]
            found, seconds = clustered(folder, *features)
            nodes = [u for u in found if u in known]
            scores = agreement([known[u] for u in nodes], [found[u] for u in nodes])
            print(f"| {folder.name} | {weight} | {len(set(found.values()))} | {scores[0]:.3f} | {scores[1]:.3f} | {seconds:.1f} |",
                  flush=True)
