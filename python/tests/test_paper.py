"""The paper's tables: what was published, and the same figures as the tool has."""
import os

import numpy as np
import pytest
from test_tools import tool

import cafe


def test_published_figures():
    rows = cafe.published("classification").to_frame()
    one = rows[(rows.set == "cora") & (rows.method == "Sphere-GCN") & (rows.column == "10 % accuracy")]
    assert one.published.tolist() == [0.735] and one.published_std.tolist() == [0.014]
    assert set(cafe.published()["table"]) >= {"classification", "link", "reduction"}
    with pytest.raises(ValueError, match="expected one of classification"):
        cafe.published("nothing")


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """Made-up sets under the names of three of the table's, one of them of several labels."""
    where = tmp_path_factory.mktemp("sets")
    for i, name in enumerate(("cora", "airports-brazil", "email-eu-core")):
        graph, labels = cafe.generate("planted", nodes=400, edges=3000, blocks=5, mixing=0.2,
                                      random_state=i + 1)
        (where / name).mkdir()
        graph.write(where / name / "edges.txt")
        (where / name / "labels.txt").write_text("".join(
            f"{u} {c}{',9' if i == 2 and u % 7 == 0 else ''}\n" for u, c in enumerate(labels)))
    return where


@pytest.mark.parametrize("rows", ["Sphere", "ProNE", "Multi-layer"])
def test_reproduced_as_the_tool_does(sets, tmp_path, rows):
    same = cafe.reproduced(tool("reproduce", "others", "--data", sets, "--repeats", 2, "--row", rows, "-o",
                                tmp_path / "table.md"))
    ours = cafe.reproduce("others", sets, repeats=2, rows=rows)
    assert same["set"] == ours["set"] and same["column"] == ours["column"] and len(ours) == 18
    assert [float(f) for f in same["ours"]] == pytest.approx([float(f) for f in ours["ours"]], abs=1e-12)
    assert [f.std for f in same["ours"]] == pytest.approx([f.std for f in ours["ours"]], abs=1e-12)
    assert same.missing.keys() == ours.missing.keys() and "wiki" in ours.missing
    assert {"ours", "ours_std", "published"} <= set(ours.to_frame().columns)


def test_reproduced_beside_the_published(sets):
    ours = cafe.reproduce("classification", sets, repeats=1, rows="full label", classifier="logistic")
    assert len(ours) == 9 and ours.missing.keys() == {"wiki", "ego-facebook"}
    assert sum(ours.account().values()) == 9
    few = cafe.reproduce("cora-split", sets, repeats=1, rows="spreading")
    assert len(few) == 0 and ("cora", "Label spreading") in few.refused  # 1,708 nodes to train on


@pytest.fixture(scope="module")
def clouds(tmp_path_factory):
    """Two sets of reduction and two of eigenvectors, made up, one of them as .gz."""
    where, draw = tmp_path_factory.mktemp("clouds"), np.random.default_rng(3)
    for name, points in (("teapot", draw.normal(size=(90, 3))), ("bunny397", draw.random((60, 3)))):
        (where / name).mkdir()
        np.savetxt(where / name / "points.txt", points)
    for name, blocks in (("karate", 2), ("email-eu-core", 4)):
        graph, labels = cafe.generate("planted", nodes=120, edges=700, blocks=blocks, mixing=0.1)
        (where / name).mkdir()
        graph.write(where / name / ("edges.txt.gz" if name == "karate" else "edges.txt"))
        (where / name / "labels.txt").write_text("".join(f"{u} {c}\n" for u, c in enumerate(labels)))
    return where


def same_cells(ours, theirs):
    """Two reproductions to the last bit."""
    assert ours.titles == theirs.titles and ours.missing == theirs.missing
    for title in ("table", "set", "method", "column", "mark"):
        assert ours[title] == theirs[title]
    for title in ("ours", "published"):
        assert np.array_equal([(f, f.std) for f in ours[title]], [(f, f.std) for f in theirs[title]],
                              equal_nan=True)


@pytest.mark.parametrize("table, cells, seed", [("reduction", 18, 1), ("eigenvectors", 16, 5)])
def test_experiments_are_the_tool_s(clouds, table, cells, seed):
    ours = cafe.reproduce(table, clouds, random_state=seed)
    theirs = cafe.reproduced(tool("reproduce", table, "--data", clouds, "--seed", seed, "-o",
                                  clouds / f"{table}.md"))
    same_cells(ours, theirs)
    assert len(ours) == cells and len(ours.to_dicts()) == cells
    assert {"ours", "published", "mark"} <= set(ours.to_frame().columns)


def test_point_clouds(clouds, monkeypatch):
    monkeypatch.setenv("CAFE_DATA", str(clouds))
    ours = cafe.reproduce("reduction")  # by $CAFE_DATA
    assert ours.missing.keys() == {"junction"} and ours.account() == {"ahead": 0, "equal": 8, "behind": 0}
    first = [float(f) for f, c in zip(ours["ours"], ours["column"]) if c == "column 1"]
    assert first == pytest.approx([0, 0, 0], abs=5e-5)  # within the dominant eigenvectors
    same_cells(cafe.reproduce("reduction", clouds, n_jobs=2), ours)
    assert set(cafe.reproduce("reduction", sets=["teapot"])["set"]) == {"teapot"}
    assert len(cafe.reproduce("reduction", rows="Sphere")) == 0


def test_two_columns_and_the_eigenvector(clouds, tmp_path):
    ours = cafe.reproduce("eigenvectors", clouds)
    cells = {(row["set"], row["column"]): float(row["ours"]) for row in ours.to_dicts()}
    found = cafe.bounds(clouds / "karate" / "edges.txt.gz", restarts=20)
    assert cells["karate", "cos(v1, Qx)"] == found.centred.cosine_qx
    assert cells["karate", "delta"] == found.delta and cells["karate", "theorem applies"] == 1
    assert cells["karate", "bound"] == found.centred.second
    assert np.isnan([float(f) for f in ours["published"]]).all()  # the paper has pictures alone
    generated = cafe.reproduce("eigenvectors", tmp_path)
    assert set(generated["set"]) == {"sbm", "ba"} and "karate" in generated.missing


@pytest.mark.parametrize("table, equal", [("reduction", 8), ("eigenvectors", 0)])
def test_experiments_of_the_paper(table, equal):
    if not os.environ.get("CAFE_DATA"):
        pytest.skip("$CAFE_DATA names no folder of the paper's sets")
    ours = cafe.reproduce(table)
    if set(ours.missing) - {"junction"}:
        pytest.skip(f"not in $CAFE_DATA: {', '.join(ours.missing)}")
    assert ours.account()["equal"] >= equal and ours.account()["behind"] == 0
    same_cells(ours, cafe.reproduced(tool("reproduce", table)))


def test_reproduce_refuses(clouds, tmp_path, monkeypatch):
    monkeypatch.delenv("CAFE_DATA", raising=False)
    with pytest.raises(ValueError, match="give one, or set CAFE_DATA"):
        cafe.reproduce("reduction")
    with pytest.raises(ValueError, match="expected one of classification"):
        cafe.reproduce("nothing", tmp_path)
    (tmp_path / "teapot").mkdir()
    (tmp_path / "teapot" / "points.txt").write_text("1 2 3\n4 five 6\n")
    with pytest.raises(ValueError, match="points.txt:2"):
        cafe.reproduce("reduction", tmp_path)
    with pytest.raises(ValueError, match="expected one of cafe reproduce"):
        cafe.reproduced({"schema": "cafe/embed/1"})
