"""Days that follow one another: vectors and communities that are brought up to date every day, beside fresh runs of the
last day.

    bench/days.py [--data DIR] [--days 20] [--share 0.01] [--seeds 5] [--cafe build/cafe] [SET ...]

The first day has four fifths of the edges of a set. Every day a share of them goes, and as many of the others come. Prints
the table of docs/update.md: micro-F1 of a classifier on the vectors, modularity and NMI with the labels of the communities.
Every seed draws other days and other random numbers. A cell has the mean of the seeds; a difference also their standard
deviation.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import tempfile


def edges_of(cafe, folder):
    path = next(p for p in (f"{folder}/edges.txt", f"{folder}/edges.txt.gz") if os.path.exists(p))
    listed = subprocess.run([cafe, "convert", path, "-", "-q"], capture_output=True, text=True, check=True).stdout
    return [tuple(line.split()[:2]) for line in listed.splitlines() if line[:1] not in "#%"]


def write(path, edges, sign=""):
    with open(path, "a" if sign else "w") as file:
        file.writelines(f"{sign}{u} {v}\n" for u, v in edges)


def communities(path):
    with open(path) as file:
        return dict(line.split()[:2] for line in file if not line.startswith(("node", "#")))


def modularity(edges, part):
    inside, degree = {}, {}
    for u, v in edges:
        inside[part[u]] = inside.get(part[u], 0) + 2 * (part[u] == part[v])
        for w in (u, v):
            degree[part[w]] = degree.get(part[w], 0) + 1
    m = 2 * len(edges)
    return sum(inside.get(c, 0) / m - (d / m) ** 2 for c, d in degree.items())


def entropy(counts, n):
    return -sum(c / n * math.log(c / n) for c in counts.values())


def nmi(part, labels):
    both = [(part[u], labels[u]) for u in labels if u in part]
    counts = [{}, {}, {}]
    for a, b in both:
        for where, key in zip(counts, (a, b, (a, b))):
            where[key] = where.get(key, 0) + 1
    h = [entropy(c, len(both)) for c in counts]
    return 2 * (h[0] + h[1] - h[2]) / (h[0] + h[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("CAFE_DATA", "../shared/data"))
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cafe", default="build/cafe")
    parser.add_argument("sets", nargs="*", default=["cora", "lastfm-asia", "facebook-pages", "pubmed", "deezer-europe"])
    args = parser.parse_args()
    cafe = os.path.abspath(args.cafe)
    print("| graph | edges | F1 | update - fresh | modularity | update - fresh | NMI | update - fresh | moved a day |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in args.sets:
        rows = []
        for seed in range(1, args.seeds + 1):
            with tempfile.TemporaryDirectory() as scratch:
                rows.append(days(cafe, os.path.abspath(f"{args.data}/{name}"), scratch, args, seed))
        print(shown(name, rows), flush=True)


def shown(name, rows):
    """A line of the table: of each measure the mean of the updates, and of their differences from fresh runs."""
    cells = [name, f"{statistics.mean(r['edges'] for r in rows):.0f}"]
    for measure, digits in (("f1", 4), ("modularity", 4), ("nmi", 4)):
        differences = [r[measure][0] - r[measure][1] for r in rows]
        spread = f" ± {statistics.stdev(differences):.{digits}f}" if len(rows) > 1 else ""
        cells += [f"{statistics.mean(r[measure][0] for r in rows):.{digits}f}",
                  f"{statistics.mean(differences):+.{digits}f}{spread}"]
    return "| " + " | ".join([*cells, f"{statistics.mean(r['moved'] for r in rows):.0f}"]) + " |"


def days(cafe, folder, scratch, args, seed):
    """The measures after the last day, each of the updates and of a fresh run."""
    def run(*words):
        seeded = [] if words[0] == "convert" else ["--seed", str(seed)]
        done = subprocess.run([cafe, *words, *seeded, "-q", "-f", "-t", "1"], cwd=scratch, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{words}: {done.stderr}")
        return done.stdout

    def f1(vectors):
        run("evaluate", "classify", "now.cafe", "--embedding", vectors, "--labels", f"{folder}/labels.txt", "--train", "0.5", "--classifier", "logistic", "--repeats", "3",
            "--json", "f1.json")
        with open(f"{scratch}/f1.json") as file:
            return json.load(file)["results"][0]["micro_f1"]["mean"]

    random.seed(seed)
    edges = edges_of(cafe, folder)
    random.shuffle(edges)
    nodes = sorted({w for edge in edges for w in edge})
    present, rest = edges[:4 * len(edges) // 5], edges[4 * len(edges) // 5:]
    write(f"{scratch}/nodes.txt", [(u, "") for u in nodes])
    write(f"{scratch}/now.txt", present)
    run("convert", "now.txt", "now.cafe")
    run("embed", "now.cafe", "-o", "now.npy", "--output-form", "raw")
    run("cluster", "now.cafe", "-o", "now.tsv")
    count, moved = max(1, round(args.share * len(present))), 0
    for _ in range(args.days):
        random.shuffle(present)
        random.shuffle(rest)
        goes, comes = present[:count], rest[:count]
        present, rest = present[count:] + comes, rest[count:] + goes
        open(f"{scratch}/changes.txt", "w").close()
        write(f"{scratch}/changes.txt", comes, "+ ")
        write(f"{scratch}/changes.txt", goes, "- ")
        run("update", "now.cafe", "changes.txt", "--from", "now.npy", "-o", "now.npy", "--graph-out", "now.cafe", "--state", "s",
            "--communities", "now.tsv", "--communities-out", "now.tsv", "--json", "day.json")
        with open(f"{scratch}/day.json") as file:
            moved += json.load(file)["nodes_moved"]
    run("embed", "now.cafe", "-o", "fresh.npy", "--output-form", "raw")
    run("cluster", "now.cafe", "-o", "fresh.tsv")
    labels = communities(f"{folder}/labels.txt")
    parts = [communities(f"{scratch}/{file}.tsv") for file in ("now", "fresh")]
    return {"edges": len(present), "moved": moved / args.days, "f1": (f1("now.npy"), f1("fresh.npy")),
            "modularity": [modularity(present, p) for p in parts], "nmi": [nmi(p, labels) for p in parts]}


if __name__ == "__main__":
    main()
