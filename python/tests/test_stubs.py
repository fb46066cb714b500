"""The stubs agree with the package; and the oldest Python can read them."""
import ast
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import cafe

ROOT = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
SOURCES = [p for p in sorted((ROOT / "python").rglob("*.py")) if p.name != "_abi.py"]
OLDEST = (3, 9)


@pytest.fixture(scope="module")
def stubs():
    spec = importlib.util.spec_from_file_location("generate_stubs", ROOT / "python/generate_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results_of(model):
    own = set(model.get_params())
    return {name for name in vars(model) if name.endswith("_") and not name.startswith("_")} - own


def test_the_results_of_every_estimator(stubs, karate):
    later = karate.to_networkx()
    later.add_edge(0, 9)
    for cls in stubs.estimators():
        told = stubs.attributes(cls)
        if cls is cafe.Reduce:
            import pandas
            found = results_of(cls(2).fit(pandas.DataFrame(np.eye(6), columns=list("abcdef"))))
        elif cls._method.takes("TAKES_LABELS"):
            found = results_of(cls().fit(karate, {0: 0, 33: 1}))
        else:
            model = cls().fit(karate)
            found = results_of(model.partial_fit(later) if hasattr(cls, "partial_fit") else model)
        assert found == set(told), cls


def test_choices_are_literal(stubs):
    text = stubs.generated()
    assert "output_form: Literal['walk', 'hhat', 'ritz', 'raw', 'scaled', 'averaged'] = ..." in text
    assert "sampling: Literal['edge', 'walk', 'pagerank', 'twisted'] = ..." in text
    assert not re.search(r"^ +\w+: str = \.\.\.,", text, re.M)
    assert len(text.splitlines()) > 500 and compile(text, "stubs", "exec")


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """mypy or a part of it, in a folder with a cache that the tests share."""
    pytest.importorskip("mypy.stubtest")
    folder = tmp_path_factory.mktemp("mypy")
    (folder / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\ncache_dir = cache\n")

    def run(*arguments):
        return subprocess.run([sys.executable, "-m", *map(str, arguments)], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    run.folder = folder
    return run


def test_types_are_sound(mypy):
    done = mypy("mypy", "-p", "cafe")
    assert done.returncode == 0, done.stdout


def test_stubs_and_package_agree(mypy):
    done = mypy("mypy.stubtest", "cafe", "--concise", "--mypy-config-file", "mypy.ini")
    if "failed to find stubs" in done.stdout:
        pytest.skip("the package has no stubs: it was not installed from a wheel")
    lines = done.stdout.splitlines()
    assert lines and any(line.startswith("cafe.embed.SphereGCN") for line in lines)  # made at run time
    wrong = [line for line in lines if re.match(r"cafe\.([A-Z]|__all__|[a-z]\w* )", line)
             and "is not a type" not in line]
    assert not wrong


def test_users_are_told(mypy):
    lines = {
        "m = cafe.SphereGCN(4, n_jobs=1, output_form='raw').fit(cafe.karate())": "",
        "x: float = m.certificate_.objective": "",
        "r: np.ndarray = m.partial_fit(cafe.karate()).rows_": "",
        "p: np.ndarray = cafe.CafeGCN().fit(cafe.karate(), [0]).predict(cafe.karate())": "",
        "c: np.ndarray = cafe.LayeredCafe().fit_predict(cafe.karate())": "",
        "s: float = cafe.NodeClassifier(cafe.karate()).fit([0], [1]).score([0], [1])": "",
        "k: int = cafe.Reduce(3).fit(np.eye(4)).n_components_": "",
        "cafe.DeepWalk(no_such_option=1)": "no_such_option",
        "cafe.SphereGCN(output_form='walks')": "incompatible type",
        "cafe.SphereGCN(sampling='edges')": "incompatible type",
        "cafe.SphereGCN(4, 5)": "Too many positional",
        "cafe.SphereGCN(n_components='8')": "incompatible type",
    }
    use = mypy.folder / "use.py"
    use.write_text("import numpy as np\nimport cafe\n" + "\n".join(lines) + "\n")
    done = mypy("mypy", use)
    if "missing library stubs or py.typed" in done.stdout:
        pytest.skip("the package was not installed from a wheel")
    for number, (line, error) in enumerate(lines.items(), 3):
        told = [out for out in done.stdout.splitlines() if f"use.py:{number}:" in out]
        assert bool(told) == bool(error) and all(error in out for out in told), (line, told)


# ---- the oldest Python

def names_of(tree):
    """Names of NumPy's that are used."""
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name) and node.value.id == "np"}


NEWER = {"zip": "strict", "dataclass": "slots kw_only", "bisect_left": "key", "bisect_right": "key"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_oldest_python_reads_it(path):
    tree = ast.parse(path.read_text(), feature_version=OLDEST)
    for node in ast.walk(tree):
        kinds = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for kind in filter(None, kinds):  # int | None is an error there when it is run
            assert not any(isinstance(part, ast.BitOr) for part in ast.walk(kind)), ast.dump(kind)
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            words = NEWER.get(name, "").split()
            assert not [k.arg for k in node.keywords if k.arg in words], name
        if isinstance(node, ast.ImportFrom) and node.module == "typing":
            newer = {"ParamSpec", "TypeAlias", "TypeGuard", "Self", "Never", "override", "Unpack"}
            assert not newer & {alias.name for alias in node.names}
    assert not [name for name in names_of(tree) if not hasattr(np, name)]  # of 1.24 and of 2.x alike


def test_annotations_are_of_the_oldest_python():
    """Those of the package are evaluated when it is imported."""
    for name in cafe.__all__:
        thing = getattr(cafe, name)
        if inspect.isfunction(thing):
            assert all("|" not in str(kind) for kind in thing.__annotations__.values()), name
