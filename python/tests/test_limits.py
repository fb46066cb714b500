"""A process of little memory: every call returns or raises MemoryError, and the process goes on."""
import subprocess
import sys

# Run by an interpreter of its own, whose limit is not ours. What it starts with differs from machine to
# machine, so limits are set by what is left.
PROGRAM = """
import resource, sys
import numpy as np
import cafe

graph, labels = cafe.karate(return_labels=True)
models = [cafe.SphereGCN(n_components=8, n_jobs=4, residual=1e-4), cafe.Spectral(n_components=4),
          cafe.HOPE(n_components=4), cafe.CafeGCN(n_components=4), cafe.SDNE(n_components=4, epochs=2)]

def size():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmSize:")) * 1024

done = refused = 0
for left in range(0, 200, 4):
    for model in models:
        resource.setrlimit(resource.RLIMIT_AS, (size() + (left << 20), resource.RLIM_INFINITY))
        try:
            assert np.isfinite(model.fit_transform(graph)).all()
            done += 1
        except MemoryError:
            refused += 1
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print(done, refused)
assert done > 0
"""


def test_address_space():
    run = subprocess.run([sys.executable, "-c", PROGRAM], timeout=300, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
