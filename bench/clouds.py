"""Point clouds turned into 30 dimensions and back: section "dimensionality reduction" of the paper.

Points of 2 or 3 dimensions are multiplied by a matrix with orthonormal rows into L = 30 columns and
reduced with K = 6, theta = 0.010, all columns kept. Printed is the part of each column of the vectors
outside the dominant eigenvectors of Q = X X^T (eq. proj3333), with the published numbers below it.
The first two (three) columns V rebuild the cloud: V V^T X, turned back.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

L, K = 30, 6
PUBLISHED = {
    "circles": (0, 0, 0.5407, 0.9492, 0.9798, 0.9800),
    "bunny397": (0, 0, 0, 0.8612, 0.9208, 0.9644),
    "teapot": (0, 0, 0, 0.9392, 0.9945, 0.9994),
}
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#1e002d")  # apart for colour-blind eyes
SHOWN = 450  # points drawn of a cloud at most
SIZE, GAP = 260, 24


def circles(n=200, radii=(1.0, 0.5)):
    """Two concentric circles of n / 2 points each."""
    angle = 2 * numpy.pi * numpy.arange(n // 2) / (n // 2)
    return numpy.concatenate([r * numpy.stack([numpy.cos(angle), numpy.sin(angle)], 1) for r in radii])


def load(name, folders):
    """The points of a cloud, or None."""
    if name == "circles":
        return circles()
    for folder in folders:
        path = folder / name / "points.txt"
        if path.exists():
            return numpy.loadtxt(path)[:, :3]
    return None


def reduce(tool, x, scratch, extra):
    """Runs cafe reduce on x; returns the report, the vectors and W."""
    table = scratch / "x.npy"
    numpy.save(table, x.astype(numpy.float32))
    names = {key: str(scratch / value) for key, value in
             {"-o": "v.npy", "--w": "w.npy", "--json": "r.json"}.items()}
    command = [tool, "reduce", str(table), "-f", "-q", "-k", str(K), "--theta", "0.010", "--tune", "keep-empty=yes"]
    for option, path in names.items():
        command += [option, path]
    subprocess.run(command + extra, check=True)
    with open(names["--json"], encoding="utf-8") as file:
        return json.load(file), numpy.load(names["-o"]), numpy.load(names["--w"])


def project(points):
    """Points on the page: 2-D as they are, 3-D seen from the front and a little above."""
    if points.shape[1] == 2:
        return points * (1, -1)
    x, y, z = points.T
    tilt = 0.35
    return numpy.stack([x, -(numpy.cos(tilt) * y - numpy.sin(tilt) * z)], 1)


def dots(page, groups, low, scale, left):
    """One path of round dots for each group."""
    out = []
    for k in range(K):
        places = (page[groups == k] - low) * scale
        if len(places):
            path = "".join(f"M{left + x:.0f} {GAP + y:.0f}h0" for x, y in places)
            out.append(f'<path stroke="{COLOURS[k]}" d="{path}"/>')
    return out


def draw(path, name, original, rebuilt, groups):
    """The cloud and its reconstruction side by side."""
    step = max(1, -(-len(original) // SHOWN))
    pages = [project(p)[::step] for p in (original, rebuilt)]
    low = numpy.min(numpy.concatenate(pages), 0)
    extent = numpy.max(numpy.concatenate(pages), 0) - low
    scale = (SIZE - 2) / max(extent)
    height = int(extent[1] * scale) + 2 * GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * SIZE + 3 * GAP} {height}" '
        'font-family="sans-serif" font-size="12" fill="none" stroke-width="4" stroke-linecap="round">',
        f'<rect width="{2 * SIZE + 3 * GAP}" height="{height}" fill="#ffffff"/>',
    ]
    for i, title in enumerate((f"{name}: original", "rebuilt from the vectors")):
        left = GAP + i * (SIZE + GAP)
        lines.append(f'<text x="{left}" y="15" fill="#222222">{title}</text>')
        lines += dots(pages[i], groups[::step], low, scale, left)
    path.write_text("\n".join(lines + ["</svg>"]) + "\n", encoding="utf-8")


def run(name, points, arguments, scratch):
    """Reduces one cloud, prints its two lines and draws it; returns whether it is as it must be."""
    flat = points.shape[1]
    generator = numpy.random.default_rng(1)
    turn = numpy.linalg.qr(generator.normal(size=(L, flat)))[0].T  # flat x L, orthonormal rows
    x = points @ turn
    report, vectors, w = reduce(arguments.tool, x, scratch, arguments.extra)
    residuals = report["projection_residuals"]
    x = x - x.mean(0)
    first = vectors[:, :flat].astype(float)
    rebuilt = (first @ (first.T @ x)) @ turn.T
    error = numpy.linalg.norm(rebuilt @ turn - x) / numpy.linalg.norm(x)
    numbers = " ".join(f"{r:7.4f}" for r in residuals)
    print(f"{name:10} {len(points):5} {flat}-D  {numbers}   {report['clusters']:8}  {error:.1e}")
    print(f"{'':11}paper      {' '.join(f'{r:7.4f}' for r in PUBLISHED[name])}")
    if arguments.figures:
        arguments.figures.mkdir(parents=True, exist_ok=True)
        draw(arguments.figures / f"cloud-{name}.svg", name, points - points.mean(0), rebuilt,
             numpy.argmax(x @ w, 1))
    return max(residuals[:flat]) < 5e-4 and report["rank"] == flat


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, help="folder of the data sets")
    parser.add_argument("--figures", type=pathlib.Path, help="folder for the SVG files")
    parser.add_argument("extra", nargs="*", help="options for cafe reduce, after --")
    arguments = parser.parse_args()
    arguments.tool = os.environ.get("CAFE", "build/cafe")
    folders = [arguments.data] if arguments.data else [
        pathlib.Path(p) for p in (os.environ.get("CAFE_DATA"), "../shared/data") if p]
    good = True
    print(f"{'cloud':10} {'n':>5}      {' '.join(f'  j = {j + 1}' for j in range(K))}"
          "   clusters  rebuilt to")
    with tempfile.TemporaryDirectory() as scratch:
        for name in PUBLISHED:
            points = load(name, folders)
            if points is None:
                print(f"{name:10} skipped: no {name}/points.txt in {' or '.join(map(str, folders))}")
            else:
                good &= run(name, points, arguments, pathlib.Path(scratch))
    print("junction   skipped: not among the data sets")
    print("Columns beyond the cloud's dimensions are arbitrary: 1 here, any number in the paper.")
    if not good:
        sys.exit("a column within the cloud's dimensions is outside the dominant eigenvectors")


if __name__ == "__main__":
    main()
