"""Graphs from columns of names: processor seconds of cafe.Graph beside pandas.factorize of the same names.

    build/python/bin/python bench/names.py [--edges 5000000] [--nodes 500000]     after scripts/python

`one object a name`: equal names are one object, as in tables that pandas reads from files. `one object an entry`: every
entry is an object of its own. Prints the table of docs/benchmarks-parts.md.
"""
import argparse
import time
import warnings

import numpy as np
import pandas

import cafe


def seconds(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def best(call, repeats=3):
    return min(seconds(call) for _ in range(repeats))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edges", type=int, default=5_000_000)
    parser.add_argument("--nodes", type=int, default=500_000)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    ids = np.random.default_rng(1).integers(0, args.nodes, (2, args.edges))
    print("| names | factorize | table of pandas | two lists | list of tuples |")
    print("|---|---:|---:|---:|---:|")
    words = np.array([text(i) for i in range(args.nodes)], dtype=object)
    row("one object a name", [words[end] for end in ids])
    row("one object an entry", [np.array([text(i) for i in end.tolist()], dtype=object) for end in ids])
    numbers = best(lambda: cafe.Graph.from_edges(ids[0], ids[1], n_jobs=1))
    print(f"\nnumbers instead of names: {numbers:.2f}")


def text(i):
    return f"user{i * 7919 % 10**7:07d}"


def row(title, ends):
    table = pandas.DataFrame({"source": ends[0], "target": ends[1]})
    both, lists = np.concatenate(ends), [end.tolist() for end in ends]
    cells = [best(lambda: pandas.factorize(both)), best(lambda: cafe.Graph(table, n_jobs=1)),
             best(lambda: cafe.Graph.from_edges(*lists, n_jobs=1))]
    tuples = list(zip(*lists))
    cells.append(best(lambda: cafe.Graph.from_edges(tuples, n_jobs=1)))
    print(f"| {title} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
