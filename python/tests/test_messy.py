"""The messy files of tests/messy: the same comes of them in Python."""
import os
import pathlib
import warnings

import numpy as np
import pytest

import cafe

ROOT = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
MESSY = ROOT / "tests" / "messy"
CASES = [line.rstrip("\n").split("\t") for line in open(MESSY / "expected.tsv")
         if not line.startswith("#")]


def keywords(options):
    words = options.split()
    values = dict(zip((w[2:].replace("-", "_") for w in words[::2]), words[1::2]))
    if "weights" in values:
        values["weights"] = values["weights"] == "yes"
    if "nodes" in values:
        values["nodes"] = int(values["nodes"])
    return values


@pytest.mark.parametrize("file, options, wanted", CASES)
def test_every_file(file, options, wanted):
    if wanted.startswith("! "):
        with pytest.raises(ValueError) as error:
            cafe.Graph.from_file(MESSY / file, **keywords(options))
        text = str(error.value)
        assert "--" not in text  # options have their names in Python
        for word in wanted[2:].split():
            assert word.lstrip("-").replace("=", "") in text.replace("=", " ")
        return
    graph = cafe.Graph.from_file(MESSY / file, **keywords(options))
    nodes, edges, total = wanted.split()
    assert (graph.n_nodes, graph.n_edges) == (int(nodes), int(edges))
    assert graph.counts["total_weight"] / 2 == pytest.approx(float(total), rel=1e-6)
    assert graph.reading["format"]


def test_columns_may_be_numbers_and_names():
    path = MESSY / "three-names.csv"
    by_name = cafe.Graph.from_file(path, source="a", target="b", weight="c")
    by_number = cafe.Graph.from_file(path, source=0, target=1, weight=2, header="yes")
    assert by_name.nodes.tolist() == by_number.nodes.tolist() == ["x", "y", "z"]
    assert by_name.reading["columns"] == 3 and by_name.reading["weight"] == 2
    assert by_name.reading["edges"] == [["x", "y", "1"], ["y", "z", "2"]]
    with pytest.raises(TypeError, match="source"):
        cafe.Graph.from_file(path, source=1.5, target=1)


def test_attributes_are_written(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = cafe.karate()
    named = {"v": [[i / 2, -i] for i in range(34)], "community": ["a & b"] * 34, "size": range(34)}
    for name, read in (("k.graphml", networkx.read_graphml), ("k.gml", networkx.read_gml)):
        graph.write(tmp_path / name, attributes=named)
        nodes = read(tmp_path / name).nodes
        assert nodes["3"] == {"v0": 1.5, "v1": -3, "community": "a & b", "size": 3}
        assert cafe.Graph.from_file(tmp_path / name).n_edges == 78
    with pytest.raises(ValueError, match="row per node"):
        graph.write(tmp_path / "x.gml", attributes={"v": [1, 2]})
    with pytest.raises(ValueError, match="graphml"):
        graph.write(tmp_path / "x.txt", attributes={"v": [1] * 34})


def test_repeated_labels_are_a_warning():
    path = MESSY / "same-labels.gexf"
    with pytest.warns(cafe.CafeWarning, match="'label' is missing or repeated for 1 of 2 nodes"):
        graph = cafe.Graph.from_file(path)
    assert graph.nodes.tolist() == ["x", "x (2)"] and "ids" in graph.reading["warning"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cafe.Graph.from_file(path, name="id").nodes.tolist() == [1, 2]
        assert cafe.Graph.from_file(MESSY / "igraph.gml").nodes.tolist() == ["ann", "bob"]
    with pytest.raises(ValueError, match="expected the attribute 'town' of nodes"):
        cafe.Graph.from_file(path, name="town")


def test_attributes_of_files_are_kept(tmp_path):
    graph = cafe.karate()
    ages = np.arange(34) / 2
    graph.write(tmp_path / "a.json", attributes={"age": ages, "club": ["a", "b"] * 17})
    read = cafe.Graph.from_file(tmp_path / "a.json")
    assert list(read.attributes) == ["age", "club"] and "attributes" not in read.reading
    assert read.attributes["age"].tolist() == ages.tolist()
    assert read.attributes["club"].tolist() == ["a", "b"] * 17
    read.write(tmp_path / "b.graphml", attributes={"age": ages + 1})
    again = cafe.Graph.from_file(tmp_path / "b.graphml")
    assert again.attributes["age"][0] == 1 and again.attributes["club"][1] == "b"
    assert cafe.karate().attributes == {}
    model = cafe.LabelPropagation().fit(read, read.attributes["club"])
    assert sorted(model.classes_) == ["a", "b"]


PARTITIONS = [line.rstrip("\n").split("\t") for line in open(MESSY / "partitions" / "expected.tsv")
              if not line.startswith("#")]


@pytest.mark.parametrize("file, graph, wanted", PARTITIONS)
def test_every_partition(file, graph, wanted):
    graph = cafe.Graph.from_file(MESSY / "labels" / f"{graph}.csv")
    if wanted.startswith("! ") and "several" not in wanted:
        with pytest.raises(ValueError, match=wanted[2:]):
            cafe.datasets.read_labels(graph, MESSY / "partitions" / file)
        return
    found = [c for c in cafe.datasets.read_labels(graph, MESSY / "partitions" / file).tolist() if c is not None]
    if wanted.startswith("! "):
        assert any(isinstance(label, tuple) and len(label) > 1 for label in found)
    else:
        assert [len(found), len(set(found))] == list(map(int, wanted.split()))


@pytest.mark.parametrize("file, graph, options, wanted", [
    line.rstrip("\n").split("\t") for line in open(MESSY / "tables" / "expected.tsv") if not line.startswith("#")])
def test_every_table_of_numbers(tmp_path, file, graph, options, wanted):
    if options:
        pytest.skip("options of tables go with a graph's file")
    if "KRAS" in wanted:
        return  # a table of points knows no nodes
    (tmp_path / "points.txt").write_bytes((MESSY / "tables" / file).read_bytes())
    try:
        table = cafe.load(tmp_path).points
    except ValueError as error:
        assert wanted.startswith("! ") and wanted[2:] in str(error)
    else:
        columns, _, *numbers = wanted.split()
        assert table.shape[1] == int(columns)
        assert [float(number) for number in numbers] in table.tolist()


def test_the_reading_of_labels_is_told():
    graph = cafe.Graph.from_file(MESSY / "labels" / "genes.csv")
    assert graph.tables == {}
    path = MESSY / "labels" / "r-na.csv"
    cafe.datasets.read_labels(graph, path)
    assert graph.tables[str(path)].startswith("node column")


LABELS = [line.rstrip("\n").split("\t") for line in open(MESSY / "labels" / "expected.tsv")
          if not line.startswith("#")]


@pytest.mark.parametrize("file, graph, options, wanted", LABELS)
def test_every_file_of_labels(file, graph, options, wanted):
    graph = cafe.Graph.from_file(MESSY / "labels" / f"{graph}.csv")
    path = MESSY / "labels" / file
    if wanted.startswith("! "):
        with pytest.raises(ValueError):
            cafe.datasets.read_labels(graph, path, **keywords(options))
        return
    labelled, classes, of = wanted.split(" ", 2)
    found = cafe.datasets.read_labels(graph, path, **keywords(options)).tolist()
    sets = [label if isinstance(label, tuple) else (label,) for label in found if label is not None]
    assert len(sets) == int(labelled) and len(set().union(*sets)) == int(classes)
    node, label = of.split("=")
    first = found[[str(name) for name in graph.nodes.tolist()].index(node)]
    assert str(first[0] if isinstance(first, tuple) else first) == label
