"""Labels are matched by the names of nodes, not by their order."""
import numpy as np
import pandas
import pytest

import cafe


@pytest.fixture
def club(rng):
    """Karate with names, and labels in another order than the nodes'."""
    graph, faction = cafe.karate(return_labels=True)
    names = np.array([f"m{u:02d}" for u in range(34)])
    source, target, _ = graph.to_edges()
    named = cafe.Graph.from_edges(names[source], names[target])
    labels = pandas.Series(np.array(["hi", "john"])[faction], index=names)
    return named, labels.reindex(rng.permutation(names)), labels


def test_a_series_in_another_order(club):
    graph, mixed, labels = club
    told = cafe.LabelPropagation().fit(graph, mixed)
    assert (told.transduction_ == labels[graph.nodes].to_numpy()).all()
    as_table = cafe.LabelPropagation().fit(graph, mixed.to_frame("faction"))
    assert np.array_equal(as_table.embedding_, told.embedding_)
    for kind in ("category", "string", object):
        again = cafe.LabelPropagation().fit(graph, mixed.astype(kind))
        assert np.array_equal(again.embedding_, told.embedding_)
    why = cafe.explain(graph, cafe.SphereGCN(2).fit(graph), labels=mixed)
    same = cafe.explain(graph, cafe.SphereGCN(2).fit(graph), labels=labels[graph.nodes].to_numpy())
    assert [d.label for d in why.dimensions] == [d.label for d in same.dimensions]


def test_numbers_too(karate, faction, rng):
    y = pandas.Series(faction, index=np.arange(34))
    model = cafe.CafeGCN().fit(karate, y.iloc[rng.permutation(34)])
    assert np.array_equal(model.embedding_, cafe.CafeGCN().fit(karate, faction).embedding_)


def test_unknown_and_missing_nodes(club):
    graph, mixed, _ = club
    wrong = mixed.rename({"m00": "x", "m01": "y", "m02": "z", "m03": "w"})
    with pytest.raises(ValueError, match=r"4 of 34 nodes are not in the graph: '\w', '\w', '\w', \.\.\."):
        cafe.CafeGCN().fit(graph, wrong)
    with pytest.raises(ValueError, match="not of nodes: give an array"):
        cafe.CafeGCN().fit(graph, mixed.reset_index(drop=True))
    with pytest.raises(ValueError, match="1 nodes are there more than once: 'm00'"):
        cafe.CafeGCN().fit(graph, pandas.concat([mixed, mixed[["m00"]]]))
    with pytest.raises(ValueError, match="1 of 2 nodes are not in the graph: 'nobody'"):
        cafe.CafeGCN().fit(graph, {"m00": 1, "nobody": 2})
    with pytest.raises(ValueError, match="found 2: 'a', 'b'"):
        cafe.CafeGCN().fit(graph, pandas.DataFrame({"a": mixed, "b": mixed}))
    with pytest.raises(ValueError, match=r"shape \(34, 1\)"):
        cafe.CafeGCN().fit(graph, mixed.to_frame().to_numpy())
    with pytest.raises(ValueError, match="expected 34 labels, found 33"):
        cafe.CafeGCN().fit(graph, mixed.to_numpy()[1:])


def test_a_node_that_is_not_mentioned_has_no_label(club, karate, faction):
    graph, mixed, _ = club
    some = mixed[["m33", "m00"]]
    by_series = cafe.CafeGCN().fit(graph, some)
    by_mapping = cafe.CafeGCN().fit(graph, some.to_dict())
    assert np.array_equal(by_series.embedding_, by_mapping.embedding_)
    short = pandas.Series(faction[:20])  # 0 .. 19 that pandas made up: a node's name, or a line?
    with pytest.raises(ValueError, match="14 of 34 nodes have none: 20, 21, 22"):
        cafe.CafeGCN().fit(karate, short)
    with pytest.raises(ValueError, match="communities: 14 of 34 nodes have none"):
        cafe.explain(karate, cafe.SphereGCN(2).fit(karate), communities=short)


@pytest.mark.parametrize("missing", [None, np.nan, pandas.NA, np.float32("nan")])
def test_what_is_not_known(karate, missing):
    y = np.full(34, None, object)
    y[:], y[[0, 33]] = missing, [1, 2]
    reference = cafe.LabelPropagation().fit(karate, {0: 1, 33: 2})
    for labels in (y, list(y), pandas.Series(y)):
        found = cafe.LabelPropagation().fit(karate, labels)
        assert found.classes_.tolist() == [1, 2]
        assert np.array_equal(found.embedding_, reference.embedding_)


def test_nullable_integers(karate):
    y = pandas.Series([1] + [None] * 32 + [2], dtype="Int64")
    assert cafe.LabelPropagation().fit(karate, y).classes_.tolist() == [1, 2]


def test_tables_of_rows_go_by_name_too(club, rng):
    graph, mixed, _ = club
    table = pandas.DataFrame(rng.normal(size=(34, 3)), index=graph.nodes)
    turned = table.loc[mixed.index]
    runs = [cafe.SphereGCN(4, sampling="twisted").fit(graph, attributes=x).embedding_
            for x in (table.to_numpy(), table, turned)]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])
    model = cafe.SphereGCN(3, output_form="raw").fit(graph)
    rows = model.to_frame().loc[mixed.index]
    assert np.array_equal(cafe.layout(graph, rows), cafe.layout(graph, model))
    again = [cafe.SphereGCN(3, max_iter=1, tol=0).fit(graph, start=x).embedding_
             for x in (model.embedding_, rows)]
    assert np.array_equal(*again)
    with pytest.raises(ValueError, match="attributes: 4 of 34 nodes have none: 'm"):
        cafe.SphereGCN(4, sampling="twisted").fit(graph, attributes=turned[4:])
    with pytest.raises(ValueError, match="not of nodes: give an array"):
        cafe.layout(graph, rows.reset_index(drop=True))
    with pytest.raises(ValueError, match="SphereGCN was fitted to another graph"):
        cafe.layout(cafe.karate(), model)
