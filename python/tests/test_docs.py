"""Every Python block of the tutorials, in order, in one namespace; and all examples of docstrings.
"""
import doctest
import os
import pathlib
import pkgutil
import re
import types

import numpy as np
import pytest

import cafe

ROOT = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))


@pytest.fixture(autouse=True)
def plain_numbers():
    """Numbers of NumPy 2 print as those of NumPy 1 did: 4 and not np.int32(4)."""
    legacy = False if np.__version__.startswith("1.") else "1.25"
    with np.printoptions(legacy=legacy):
        yield


@pytest.mark.parametrize("page", ["python.md", "tutorials/machine-learning.md"])
def test_tutorial(page, tmp_path, monkeypatch):
    text = (ROOT / "docs" / page).read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S))
    assert len(blocks) >= 6
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "tutorial"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for block in blocks:
        line = text[:block.start()].count("\n") + 1
        source = block.group(1)
        if ">>>" in source:
            test = parser.get_doctest(source, names, f"{page}:{line}", page, line)
            out = []
            failed = runner.run(test, out=out.append, clear_globs=False).failed
            names.update(test.globs)
            assert failed == 0, "".join(out)
        else:
            exec(compile(source, f"{page}:{line}", "exec"), names)


def test_what_stands_beside_other_libraries(karate, faction, rng):
    text = (ROOT / "docs" / "python.md").read_text()
    table = text.partition("### Coming from")[2].partition("\nThe methods")[0]
    calls = [call for row in table.splitlines() if row.startswith("|")
             for call in re.findall(r"`(?:g = )?(cafe\.[^`]*)`", row.split("|")[2]) if "=," not in call]
    known = {"adjacency": karate.to_scipy(), "g": karate.to_networkx(), "graph": karate, "x": rng.normal(
        size=(40, 5)), "y": faction, "train_nodes": karate.nodes[::2], "cafe": cafe,
        "data": types.SimpleNamespace(edge_index=np.array(karate.to_edges()[:2]))}
    assert len(calls) >= 12
    for call in calls:
        eval(call.replace("walks=200", "walks=2"), dict(known))


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(cafe.__path__)] +
                         ["__init__"])
def test_docstrings(module):
    name = "cafe" if module == "__init__" else f"cafe.{module}"
    found = doctest.testmod(__import__(name, fromlist=["_"]),
                            optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_every_public_name_is_documented():
    assert all(getattr(cafe, name).__doc__ for name in cafe.__all__)
    assert all(">>> " in getattr(cafe, name).__doc__ for name in cafe.__all__
               if hasattr(getattr(cafe, name), "get_params"))
