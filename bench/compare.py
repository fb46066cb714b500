"""The picture of the README: quality against time, for vectors and for communities.

    python3 bench/compare.py [FIGURE.svg]

draws the measured tables of two pages. They are docs/results-tables.md ("Other graphs": mean micro F1 and seconds of every
method) and docs/algorithms/layers.md ("Measured": modularity and processor seconds of each graph). The figure has no
number of its own: write the tables again (scripts/results, bench/communities), then run this script.
"""
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
FIGURE = ROOT / "docs/figures/compare.svg"
WIDTH, HEIGHT, TOP, BOTTOM = 460, 330, 46, 48
OURS, OTHERS, SECOND, GREY = "#0072b2", "#999999", "#d55e00", "#e4e4e4"
CAFE = ("Sphere-GCN", "CAFE-GCN", "Multi-layer CAFE-GCN")


def table(path, *columns):
    """The rows of the first table of a page that has these columns, as dictionaries by heading."""
    rows, heading = [], None
    for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if heading and not line.startswith("|"):
            break
        if heading and not cells[0].startswith("---"):
            rows.append(dict(zip(heading, cells)))
        elif line.startswith("|") and set(columns) <= set(cells):
            heading = [f"{name} {i}" if name in cells[:i] else name for i, name in enumerate(cells)]
    return rows or sys.exit(f"{path}: no table with the columns {', '.join(columns)}")


class Panel:
    """One diagram with a logarithmic axis of time at the bottom."""

    def __init__(self, shift, title, below, times, values, step):
        self.left, self.right = shift + 58, shift + WIDTH - 14
        self.low, self.high = (math.log10(t) for t in times)
        self.least, self.most = values
        self.out = [f'<text x="{shift + 12}" y="18" font-weight="bold">{title}</text>']
        for power in range(math.ceil(self.low), math.floor(self.high) + 1):
            x = self.x(10.0 ** power)
            self.line(x, TOP, x, HEIGHT - BOTTOM, GREY)
            self.text(x, HEIGHT - BOTTOM + 17, f"{10.0 ** power:g}", "middle")
        value = math.ceil(self.least / step) * step
        while value <= self.most + step / 9:
            self.line(self.left, self.y(value), self.right, self.y(value), GREY)
            self.text(self.left - 6, self.y(value) + 4, f"{value:.{max(0, -math.floor(math.log10(step)))}f}", "end")
            value += step
        self.text((self.left + self.right) / 2, HEIGHT - 10, below, "middle")

    def x(self, time):
        return self.left + (math.log10(time) - self.low) / (self.high - self.low) * (self.right - self.left)

    def y(self, value):
        return HEIGHT - BOTTOM - (value - self.least) / (self.most - self.least) * (HEIGHT - BOTTOM - TOP)

    def line(self, x, y, to_x, to_y, colour):
        self.out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}"/>')

    def text(self, x, y, text, anchor="start", colour="#333333"):
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>')

    def point(self, time, value, colour, radius=4.5):
        self.out.append(f'<circle cx="{self.x(time):.1f}" cy="{self.y(value):.1f}" r="{radius}" fill="{colour}" '
                        'fill-opacity="0.8"/>')


def label(panel, taken, name, x, y):
    """Writes a name at the first free place beside its point, with a line where it is further away."""
    wide = 7.2 * len(name)
    places = [(x + 8, y + 4), (x - wide / 2, y - 9), (x - 4, y - 9), (x - wide / 2, y + 18),
              (x - wide / 2, y + 40), (x - wide / 2, y - 30), (x - 4, y + 40)]
    for left, base in places:
        box = (left, base - 11, left + wide, base + 3)
        free = all(box[2] < t[0] or t[2] < box[0] or box[3] < t[1] or t[3] < box[1] for t in taken)
        if free and panel.left <= left and left + wide <= panel.right + 12:
            break
    taken.append(box)
    if abs(base - y) > 20:
        panel.line(x, y, x, base - 11 if base > y else base + 3, OTHERS)
    panel.text(left, base, name, colour=OURS if name in CAFE else "#333333")


def vectors():
    """A point for every method: mean micro F1 with half of the labels, seconds of all sets together."""
    rows = table("docs/results-tables.md", "method", "50 % mean, common sets", "seconds")
    found = [(row["method"], float(row["seconds"]), float(row["50 % mean, common sets"])) for row in rows]
    panel = Panel(0, "Vectors: mean micro F1 on 22 labelled graphs", "seconds to make the vectors of all graphs",
                  (min(t for _, t, _ in found) / 1.5, max(t for _, t, _ in found) * 2.2),
                  (min(f for _, _, f in found) - 0.012, max(f for _, _, f in found) + 0.008), 0.02)
    for name, seconds, score in found:
        panel.point(seconds, score, OURS if name in CAFE else OTHERS, 6 if name == CAFE[0] else 4.5)
    taken = [(panel.x(t) - 5, panel.y(f) - 5, panel.x(t) + 5, panel.y(f) + 5) for _, t, f in found]
    for name, seconds, score in found:
        label(panel, taken, name, panel.x(seconds), panel.y(score))
    return panel.out


def communities():
    """A point for every graph and every other tool: modularity above Cafe's, and time in units of Cafe's."""
    rows = table("docs/algorithms/layers.md", "graph", "half", "cafe: median", "Louvain: median", "Leiden: median")
    points = []
    for row in rows:
        seconds = [float(value) for key, value in row.items() if key.startswith("CPU s")]
        for tool, key, colour in ((1, "Louvain: median", OTHERS), (2, "Leiden: median", SECOND)):
            # times are printed in hundredths of a second: a ratio of fewer than two of them is no figure
            if min(seconds[0], seconds[tool]) >= 0.02:
                points.append((seconds[tool] / seconds[0], 1000 * (float(row[key]) - float(row["cafe: median"])), colour))
    least = min(value for _, value, _ in points)
    panel = Panel(WIDTH, "Communities: modularity minus Cafe's, in thousandths",
                  "processor time in units of Cafe's; a point is a graph", (0.09, 11), (least * 1.05, 4), 5)
    one = panel.x(1)
    panel.line(one, TOP, one, HEIGHT - BOTTOM, OURS)
    panel.line(panel.left, panel.y(0), panel.right, panel.y(0), OURS)
    for time, value, colour in points:
        panel.point(time, value, colour, 4)
    panel.point(1, 0, OURS, 6)
    panel.text(one + 9, panel.y(0) - 8, "Cafe", colour=OURS)
    panel.text(panel.right - 4, panel.y(least) - 26, "igraph Louvain", "end", "#777777")
    panel.text(panel.right - 4, panel.y(least) - 8, "igraph Leiden", "end", SECOND)
    return panel.out


def main():
    figure = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FIGURE
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="13">',
             f'<rect width="{2 * WIDTH}" height="{HEIGHT}" fill="white"/>', *vectors(), *communities(), "</svg>"]
    figure.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
