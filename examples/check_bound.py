#!/usr/bin/env python3
"""check_bound.py GRAPH COMMUNITIES MULTIPLIERS [RESOLUTION]: checks a bound of cafe cluster by itself.

    cafe cluster graph.txt -o communities.tsv --bound-file multipliers.tsv

It shares no code with the library. GRAPH is an edge list (two nodes and perhaps a weight a line, each edge once),
COMMUNITIES has a node and its community a line. Every partition keeps, for a centre s and leaves T of a line of
MULTIPLIERS, with x(u,w) = 1 if u and w are in one community,

    sum over t in T of x(s,t)  -  sum over pairs t, t' in T of x(t,t')  <=  1

(x(s,t) = 1 for k leaves makes x(t,t') = 1 for their k (k-1)/2 pairs, and k - k (k-1)/2 <= 1.) So for lambda >= 0

    modularity  <=  sum of q(u,u) + sum of lambda + sum over u < w of max(0, 2 q(u,w) - (A^T lambda)(u,w)).
"""
import itertools
import math
import re
import sys


def lines(path, separator=r"[\t,; ]+"):
    for line in open(path, encoding="utf-8"):
        if line.strip() and line[0] not in "#%":
            yield re.split(separator, line.rstrip("\n"))


def check(graph, communities, multipliers, resolution=1.0):
    weight, degree, spent, sizes = {}, {}, {}, []
    for u, w, *rest in lines(graph):
        weight[frozenset((u, w))] = float(rest[0]) if rest else 1.0
        for node in (u, w):
            degree[node] = degree.get(node, 0.0) + weight[frozenset((u, w))]
    total = sum(degree.values())
    community = {node: name for node, name, *_ in lines(communities)}
    for centre, *leaves, size in lines(multipliers, "\t"):
        if size == "multiplier":  # the heading
            continue
        leaves = [leaf for leaf in leaves if leaf]
        assert float(size) >= 0 and len({centre, *leaves}) == 1 + len(leaves) and {centre, *leaves} <= set(degree)
        sizes.append(float(size))
        for a, b in [(centre, leaf) for leaf in leaves] + list(itertools.combinations(leaves, 2)):
            pair = frozenset((a, b))
            spent[pair] = spent.get(pair, 0.0) + (float(size) if centre in pair else -float(size))
    diagonal = [-resolution * (d / total) ** 2 for d in degree.values()]
    found, bound = list(diagonal), diagonal + sizes
    for u, w in itertools.combinations(degree, 2):
        pair = frozenset((u, w))
        q = 2 * (weight.get(pair, 0.0) / total - resolution * degree[u] * degree[w] / total ** 2)
        found.append(q if community[u] == community[w] else 0.0)
        bound.append(max(0.0, q - spent.get(pair, 0.0)))
    whole = resolution == 1 and all(w == int(w) for w in weight.values())
    # total^2 times the modularity is an even number if weights are whole and resolution is 1
    step = 2 / total ** 2 if whole else 1e-9
    return math.fsum(found), math.fsum(bound), math.fsum(bound) < math.fsum(found) + 0.99 * step


if __name__ == "__main__":
    modularity, most, proved = check(*sys.argv[1:4], *map(float, sys.argv[4:5]))
    print(f"modularity {modularity:.9f}, no partition has more than {most:.9f}" + (": proved optimal" if proved else ""))
