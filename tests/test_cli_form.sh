#!/usr/bin/env bash
# The scaled form as files have it: recomputed from H by NumPy, and certified as docs/certificate.md says.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: no numpy"; exit 77; }
karate=$SOURCE/examples/karate.txt

# ---- from H, in double precision
cat >check.py <<'PYTHON'
import json, sys
import numpy as np

graph, exponent, shortest = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
h, z = np.load("h.npy").astype(float), np.load("z.npy").astype(float)
report, n = json.load(open("z.json")), len(h)
a = np.zeros((n, n))
for u, w in np.loadtxt(graph, dtype=int):
    a[u, w] = a[w, u] = 1
f = a.sum(1) ** -report["certificate"]["degree_exponent"]
a = a * np.outer(f, f)
d = a.sum(1)
p = d / d.sum()
y = a @ h / d[:, None] - p @ h
y = y - y.mean(0)
values, e = np.linalg.eigh(y.T @ y)
kept = np.arange(len(values)) >= len(values) - z.shape[1]
assert z.shape[1] == report["columns"] and values[kept].min() > 1e-12 * values.max(), values
assert kept.all() or values[~kept].max() < 1e-6 * values.max(), values
values, e = values[kept], e[:, kept]
if shortest > 0 and len(values) > 1:
    exponent = min(exponent, np.log(shortest) / np.log(values.min() / values.max()))
x = y @ e * values ** (exponent - 0.5)
if kept.all():
    x = x @ e.T
x *= np.sqrt(n * kept.sum() / (x ** 2).sum())
if not kept.all():                                       # any orthogonal turn of it
    turn = np.linalg.lstsq(x, z, rcond=None)[0]
    assert np.abs(turn.T @ turn - np.eye(len(turn))).max() < 1e-3, turn
    x = x @ turn
assert np.abs(x - z).max() < 2e-3 * np.abs(x).max(), np.abs(x - z).max()
assert np.abs(z.mean(0)).max() < 1e-6 and abs(z.var(0).mean() - 1) < 1e-5
assert report["certificate"]["orthogonality"] is None
PYTHON

# ---- the columns of a small graph, some of them left out, with both ends
for exponent in 0 0.25 0.5; do
    shortest=0.05
    [[ $exponent == 0.5 ]] && shortest=0
    for options in '-k 3' '-k 3 --columns-from both' '-k 9 --sweeps 20 --tune tolerance=0'; do
        [[ $options == *--columns-from* ]] || options+=' --columns-from top'
        # shellcheck disable=SC2086
        for form in raw scaled; do
            file=z scale="--tune scale-exponent=$exponent --tune scale-shortest=$shortest"
            [[ $form == raw ]] && file=h scale=''
            expect 0 "$CAFE" embed "$karate" -q -f --output-form $form $options --tune degree-exponent=0 -o $file.npy --json $file.json $scale
        done
        "$python" check.py "$karate" $exponent $shortest || fail "exponent $exponent, $options"
    done
done
expect 2 "$CAFE" embed "$karate" -o x.npy --tune scale-exponent=0.6
says 'scale-exponent'

# ---- the blocks of the page, each with the command above it
mkdir page
cd page || fail "no folder"
mkdir build examples
cp "$karate" examples/karate.txt
ln -s "$CAFE" build/cafe
"$python" - "$SOURCE/docs/certificate.md" <<'PYTHON' || fail "docs/certificate.md"
import json, re, subprocess, sys
import numpy as np

page = open(sys.argv[1]).read()
parts = re.findall(r"^\$ (build/cafe embed [^\n]*)\n```\n\n```python\n(.*?)```", page, re.M | re.S)
assert len(parts) == 3, len(parts)
for command, block in parts:
    for form in ("", " --output-form walk") if "output-form" not in command else ("",):
        subprocess.run(command + form + " -q -f", shell=True, check=True)
        names = {}
        exec(block, names)
        if "rho" in names:
            for known, found in (("ritz_values", "rho"), ("residuals", "r")):
                worst = np.abs(names[found][::-1] - names["report"][known]).max()
                assert worst < 1e-6, (command + form, known, worst)
PYTHON
