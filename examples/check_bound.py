#!/usr/bin/env python3
"""check_bound.py GRAPH COMMUNITIES MULTIPLIERS [RESOLUTION]: checks a bound of cafe cluster --bound-file by itself.

It shares no code with the library. GRAPH is a list of edges, perhaps with weights, each edge once. With x(u,w) = 1 if u
and w are in one community, every partition keeps, for a centre s and leaves T of a line of MULTIPLIERS,

    sum over t in T of x(s,t) - sum over pairs t, t' in T of x(t,t') <= 1

(x(s,t) = 1 for k leaves makes x(t,t') = 1 for their k (k-1)/2 pairs, and k - k (k-1)/2 <= 1). So for lambda >= 0

    modularity <= sum of q(u,u) + sum of lambda + sum over u < w of max(0, 2 q(u,w) - (A^T lambda)(u,w)).

In a case, pairs are together (x = 1) or apart (x = 0). The bound is the largest of the cases, which are all partitions.
"""
import itertools
import math
import re
import sys


def lines(path, separator=r"[\t,; ]+"):
    return [re.split(separator, line.rstrip("\n")) for line in open(path, encoding="utf-8")
            if line.strip() and line[0] not in "#%"]


def are_all(cases):
    """Is every partition in one of these lists of (pair, word)? Each list begins with the same pair."""
    if len(cases) == 1 and not cases[0]:
        return True
    return all(case and case[0][0] == cases[0][0][0] for case in cases) and all(
        are_all([case[1:] for case in cases if case[0][1] == word]) for word in ("together", "apart")) and bool(cases)


def bound_of(case, rest):
    """A bound of the partitions of a case, without the diagonal, and the pairs that define it; rest is 2 q."""
    pairs, multipliers = [], []
    for _, *nodes, size in case:
        nodes = [node for node in nodes if node]
        if size in ("together", "apart"):
            pairs.append((frozenset(nodes), size))
            continue
        multipliers.append(float(size))
        assert multipliers[-1] >= 0 and len(set(nodes)) == len(nodes)
        for pair in itertools.combinations(nodes, 2):
            rest[frozenset(pair)] -= float(size) if nodes[0] in pair else -float(size)
    fixed = [rest.pop(pair) if word == "together" else 0 * rest.pop(pair) for pair, word in pairs]
    return math.fsum(multipliers + fixed + [max(0.0, value) for value in rest.values()]), pairs


def check(graph, communities, multipliers, resolution=1.0):
    weight = {frozenset((u, w)): float(rest[0]) if rest else 1.0 for u, w, *rest in lines(graph)}
    degree = {node: 0.0 for pair in weight for node in pair}
    for pair in weight:
        degree.update((node, degree[node] + weight[pair]) for node in pair)
    total = sum(degree.values())
    q = {frozenset(pair): -2 * resolution * degree[pair[0]] * degree[pair[1]] / total ** 2
         + 2 * weight.get(frozenset(pair), 0.0) / total for pair in itertools.combinations(degree, 2)}
    diagonal = -resolution * math.fsum(d * d for d in degree.values()) / total ** 2
    community = {node: name for node, name, *_ in lines(communities)}
    found = diagonal + math.fsum(q[pair] for pair in q if len({community[node] for node in pair}) == 1)
    rows = [line for line in lines(multipliers, "\t") if line[0] != "case"]
    bounds = [bound_of(case, dict(q)) for _, case in itertools.groupby(rows, key=lambda line: line[0])]
    assert not bounds or are_all([pairs for _, pairs in bounds]), "a case is there twice, or one is missing"
    most = diagonal + min(bound_of([], q)[0], max((bound for bound, _ in bounds), default=math.inf))
    # total^2 times the modularity is an even number if weights are whole and resolution is 1
    whole = resolution == 1 and all(w == int(w) for w in weight.values())
    return found, most, most < found + 0.999 * (2 / total ** 2 if whole else 1e-9)


if __name__ == "__main__":
    modularity, most, proved = check(*sys.argv[1:4], *map(float, sys.argv[4:5]))
    print(f"modularity {modularity:.9f}, no partition has more than {most:.9f}" + (": proved optimal" if proved else ""))
