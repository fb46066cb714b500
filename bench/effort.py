"""Modularity against processor time: cafe cluster by effort, and the best of many seeds of igraph.

    python3 bench/effort.py EDGES.txt FIGURE.svg [SECONDS]

prints the points as a table and draws them. Times are processor seconds: of cafe those of the whole
command, of igraph those of its runs alone, added up. Needs python3-igraph and numpy, and build/cafe.
"""
import math
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import time

from communities import load
from peer import leiden, louvain

TOOL = os.environ.get("CAFE", "build/cafe")
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 400, 80, 50
COLOURS = {"cafe": "#0072b2", "Leiden, best seed": "#d55e00", "Louvain, best seed": "#009e73"}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(path, effort):
    before = processor_seconds()
    done = subprocess.run([TOOL, "cluster", path, "-t", "1", "-f", "-o", os.devnull, "--effort",
                           effort], check=True, capture_output=True, text=True)
    found = re.search(r"modularity ([0-9.]+)", done.stderr)
    return processor_seconds() - before, float(found[1])


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


def main():
    path, figure = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    graph = load(pathlib.Path(path))
    efforts = ["fast", "normal", *(f"{seconds / 2 ** i:g}" for i in range(4, -1, -1)), "high"]
    curves = {"cafe": sorted(ours(path, effort) for effort in efforts),
              "Leiden, best seed": theirs(graph, leiden, seconds),
              "Louvain, best seed": theirs(graph, louvain, seconds)}
    for name, points in curves.items():
        for used, modularity in points:
            print(f"| {name} | {used:.3f} | {modularity:.6f} |")
    draw(curves, figure)


if __name__ == "__main__":
    main()
