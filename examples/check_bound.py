#!/usr/bin/env python3
"""check_bound.py GRAPH COMMUNITIES MULTIPLIERS [RESOLUTION]: checks a bound of cafe cluster --bound-file by itself.
GRAPH has an edge, perhaps with its weight, a line. Let x(u,w) = 1 if u and w are in one community. Every partition keeps
sum over t of x(s,t) - sum over t < t' of x(t,t') <= 1 for the centre s and leaves t of a line of MULTIPLIERS. Therefore
modularity <= sum q(u,u) + sum lambda + sum over u < w of max(0, 2 q(u,w) - (A^T lambda)(u,w)) for all lambda >= 0. In a
case, pairs are together (x = 1) or apart (x = 0). The cases are all partitions; the bound is the largest of theirs.
"""
import itertools, math, re, sys

def lines(path, separator=r"[\t,; ]+"):
    return [re.split(separator, line.rstrip("\n")) for line in open(path, encoding="utf-8") if line[0] not in "#%\n"]

def are_all(cases):
    """Is every partition in one of these lists of (pair, word)? Each list begins with the same pair."""
    return cases == [[]] or bool(cases) and all(case and case[0][0] == cases[0][0][0] for case in cases) and all(
        are_all([case[1:] for case in cases if case[0][1] == word]) for word in ("together", "apart"))

def bound_of(case, rest):
    """A bound of the partitions of a case, without the diagonal, and the pairs that define it; rest is 2 q."""
    forced = [(frozenset(filter(None, nodes)), word) for _, *nodes, word in case if word in ("together", "apart")]
    rows = [(list(filter(None, nodes)), float(x)) for _, *nodes, x in case if x not in ("together", "apart")]
    for nodes, multiplier in rows:
        assert multiplier >= 0 and len(set(nodes)) == len(nodes)
        for pair in itertools.combinations(nodes, 2):
            rest[frozenset(pair)] -= multiplier if nodes[0] in pair else -multiplier
    fixed = [rest.pop(pair) * (word == "together") for pair, word in forced] + [x for _, x in rows]
    return math.fsum(fixed + [max(0.0, value) for value in rest.values()]), forced

def check(graph, communities, multipliers, resolution=1.0):
    weight = {frozenset((u, w)): float(rest[0]) if rest else 1.0 for u, w, *rest in lines(graph)}
    degree = dict.fromkeys(set().union(*weight), 0.0)
    for pair in weight:
        degree.update((node, degree[node] + weight[pair]) for node in pair)
    total = math.fsum(degree.values())
    q = {frozenset(pair): 2 * weight.get(frozenset(pair), 0.0) / total - 2 * resolution * math.prod(
        degree[node] for node in pair) / total ** 2 for pair in itertools.combinations(degree, 2)}
    diagonal = -resolution * math.fsum(d * d for d in degree.values()) / total ** 2
    community = dict(line[:2] for line in lines(communities))
    found = diagonal + math.fsum(q[pair] for pair in q if len({community[node] for node in pair}) == 1)
    cases = itertools.groupby((line for line in lines(multipliers, "\t") if line[0] != "case"), lambda line: line[0])
    bounds = [bound_of(list(case), dict(q)) for _, case in cases]
    assert not bounds or are_all([forced for _, forced in bounds]), "a case is there twice, or one is missing"
    most = diagonal + min(bound_of([], q)[0], max((bound for bound, _ in bounds), default=math.inf))
    # with whole weights and resolution k / 2^i, total^2 times a modularity is a multiple of 2 / 2^i
    parts = resolution.as_integer_ratio()[1] if all(w == int(w) for w in weight.values()) else math.inf
    return found, most, most < found + 0.999 * (2 / parts / total ** 2 if parts <= 1024 else 1e-9)

if __name__ == "__main__":
    modularity, most, proved = check(*sys.argv[1:4], *map(float, sys.argv[4:]))
    print(f"modularity {modularity:.9f}, no partition has more than {most:.9f}" + ": proved optimal" * proved)
