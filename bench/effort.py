"""Modularity against processor time: cafe cluster by effort, and igraph.

    python3 bench/effort.py EDGES.txt FIGURE.svg [SECONDS]

prints the points as a table and draws them, of igraph the best of many seeds. Times are processor seconds: of cafe
those of the whole command, of igraph those of its runs alone, added up.

    python3 bench/effort.py --equal choice|report [EDGES]

gives cafe (seeds 1 to 5) the median seconds of one run of another program with seeds 1 to 3. The others are igraph's
Leiden (10 and 100 iterations) and leidenalg (to the end, if it is installed). The graphs are those of this half of up
to EDGES edges (100,000). Needs python3-igraph and numpy, and build/cafe.
"""
import json
import importlib.util
import math
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from communities import edges_of, find_graphs, is_for_choice, load, of_leidenalg
from peer import leiden, louvain

TOOL = os.environ.get("CAFE", "build/cafe")
LEAST = 0.001  # seconds of --effort
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 400, 80, 50
COLOURS = {"cafe": "#0072b2", "Leiden, best seed": "#d55e00", "Louvain, best seed": "#009e73"}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(path, effort, seed=1):
    before = processor_seconds()
    done = subprocess.run([TOOL, "cluster", path, "-t", "1", "-f", "-o", os.devnull, "--effort", effort, "--seed",
                           str(seed), "--json", "-"], check=True, capture_output=True, text=True)
    return processor_seconds() - before, json.loads(done.stdout)["modularity"]


def theirs(graph, method, seconds):
    """The best modularity so far, whenever it grows, and at the end."""
    used, best, points, seed = 0.0, -1.0, [], 0
    while used < seconds:
        random.seed(seed)
        began = time.process_time()
        partition = method(graph)
        used += time.process_time() - began
        found = graph.modularity(partition)
        if found > best:
            best = found
            points.append((used, best))
        seed += 1
    return points + [(used, best)]


def draw(curves, path):
    times = [math.log10(t) for points in curves.values() for t, _ in points]
    values = [q for points in curves.values() for _, q in points]
    low, high = math.floor(min(times)), math.ceil(max(times))
    least, most = min(values), max(values)

    def x(t):
        return LEFT + (math.log10(t) - low) / (high - low) * (WIDTH - LEFT - 20)

    def y(q):
        return HEIGHT - BOTTOM - (q - least) / (most - least) * (HEIGHT - BOTTOM - 30)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for power in range(low, high + 1):
        out.append(f'<line x1="{x(10 ** power):.1f}" y1="30" x2="{x(10 ** power):.1f}" '
                   f'y2="{HEIGHT - BOTTOM}" stroke="#ddd"/><text x="{x(10 ** power):.1f}" '
                   f'y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10.0 ** power:g}</text>')
    for i in range(5):
        q = least + i * (most - least) / 4
        out.append(f'<line x1="{LEFT}" y1="{y(q):.1f}" x2="{WIDTH - 20}" y2="{y(q):.1f}" '
                   f'stroke="#ddd"/><text x="{LEFT - 8}" y="{y(q) + 4:.1f}" '
                   f'text-anchor="end">{q:.4f}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
               'processor seconds</text><text x="10" y="18">modularity</text>')
    for i, (name, points) in enumerate(curves.items()):
        colour = COLOURS[name]
        line = " ".join(f"{x(t):.1f},{y(q):.1f}" for t, q in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x(t):.1f}" cy="{y(q):.1f}" r="3.5" fill="{colour}"/>'
                for t, q in points]
        out.append(f'<text x="{LEFT + 120 + 160 * i}" y="18" fill="{colour}">{name}</text>')
    pathlib.Path(path).write_text("\n".join(out) + "\n</svg>\n")


def of_leiden(iterations):
    def search(graph, _, seed):
        random.seed(seed)
        began = time.process_time()
        return leiden(graph, iterations), time.process_time() - began
    return search


def peers():
    found = {"Leiden, 10": of_leiden(10), "Leiden, 100": of_leiden(100)}
    if importlib.util.find_spec("leidenalg"):
        found["leidenalg"] = of_leidenalg
    return found


def compare(name, graph, path):
    """A row of the table for each of the others."""
    for peer, search in peers().items():
        runs = [search(graph, None, seed) for seed in (1, 2, 3)]
        theirs_found = [graph.modularity(part) for part, _ in runs]
        limit = statistics.median(seconds for _, seconds in runs)
        found = [ours(path, f"{max(limit, LEAST):.4f}", seed)[1] for seed in range(1, 6)]
        print(f"| {name} | {graph.ecount():,} | {peer} | {limit:.3f} | {statistics.median(theirs_found):.6f} | "
              f"{max(theirs_found):.6f} | {statistics.median(found):.6f} | {min(found):.6f} |", flush=True)


def equal(half, most=100000):
    data = os.environ.get("CAFE_DATA", "../shared/data")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, path in find_graphs(data, set(), [], folder):
            if is_for_choice(name) == (half == "choice") and edges_of(path) <= int(most):
                graph, path = load(path, folder)
                compare(name, graph, str(path))


def main():
    if sys.argv[1] == "--equal":
        equal(*sys.argv[2:])
        return
    path, figure = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    graph, path = load(pathlib.Path(path), None)
    efforts = ["fast", "normal", *(f"{seconds / 2 ** i:g}" for i in range(4, -1, -1)), "high"]
    curves = {"cafe": sorted(ours(str(path), effort) for effort in efforts),
              "Leiden, best seed": theirs(graph, leiden, seconds),
              "Louvain, best seed": theirs(graph, louvain, seconds)}
    for name, points in curves.items():
        for used, modularity in points:
            print(f"| {name} | {used:.3f} | {modularity:.6f} |")
    draw(curves, figure)


if __name__ == "__main__":
    main()
