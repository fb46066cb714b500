"""Errors as Python has them: the right class, the name, and what would be right."""
import errno
import json
import os
import pickle
import tempfile

import numpy as np
import pytest

import cafe


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        cafe.Graph(tmp_path / "none.txt")
    error = caught.value
    assert error.errno == errno.ENOENT and error.filename == str(tmp_path / "none.txt")
    assert isinstance(error, cafe.CafeError) and "none.txt" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.errno, str(again), again.status) == (error.errno, str(error), error.status)
    with pytest.raises(ValueError, match="expected files in the folder, found none"):
        cafe.Graph(tmp_path)
    with pytest.raises(FileNotFoundError):
        cafe.karate().write(tmp_path / "no" / "such.cafe")
    with pytest.raises(FileNotFoundError):
        cafe.read_vectors(cafe.karate(), tmp_path / "none.npy")


def test_files_that_may_not_be_read(tmp_path):
    (tmp_path / "closed.txt").write_text("0 1\n")
    (tmp_path / "closed.txt").chmod(0)
    if os.access(tmp_path / "closed.txt", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(PermissionError) as caught:
        cafe.Graph(tmp_path / "closed.txt")
    assert caught.value.errno == errno.EACCES


def test_files_that_are_there(tmp_path):
    cafe.karate().write(tmp_path / "k.cafe")
    with pytest.raises(FileExistsError) as caught:
        cafe.karate().write(tmp_path / "k.cafe")
    assert caught.value.errno == errno.EEXIST and caught.value.filename == str(tmp_path / "k.cafe")


def test_an_open_file(tmp_path):
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    with open(tmp_path / "g.txt") as file, pytest.raises(TypeError, match=r"g\.txt"):
        cafe.Graph(file)


@pytest.mark.parametrize("call, message", [
    (lambda: cafe.SphereGCN(n_component=4), r"SphereGCN\(\).*'n_component'; did you mean 'n_components'"),
    (lambda: cafe.SphereGCN(columns=4), r"SphereGCN\(\).*'columns'; did you mean 'n_components'"),
    (lambda: cafe.DeepWalk(windows=4), r"DeepWalk\(\).*'windows'; did you mean 'window'"),
    (lambda: cafe.Graph([[0, 1]], duplicate="sum"), r"Graph\(\).*did you mean 'duplicates'"),
    (lambda: cafe.explain(cafe.karate(), np.ones((34, 2)), probe=3), r"explain\(\).*'probes'"),
    (lambda: cafe.view(cafe.karate(), np.ones((34, 2)), link="none"), r"view\(\).*'links'"),
    (lambda: cafe.rank(cafe.karate(), dampening=0.5), r"rank\(\).*'damping'"),
    (lambda: cafe.generate("sbm", node=10), r"generate\(\).*'nodes'"),
])
def test_unknown_keywords(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("call", [
    lambda: cafe.SphereGCN(n_components=0).fit(cafe.karate()),
    lambda: cafe.SphereGCN(max_iter=-1).fit(cafe.karate()),
    lambda: cafe.SphereGCN(tol=-1.0).fit(cafe.karate()),
    lambda: cafe.SphereGCN(output_form="nothing").fit(cafe.karate()),
    lambda: cafe.SphereGCN(sampling="walk", window=-3).fit(cafe.karate()),
    lambda: cafe.SphereGCN(sampling="twisted").fit(cafe.karate()),
    lambda: cafe.SphereGCN(window=3).fit(cafe.karate()),
    lambda: cafe.LabelPropagation().fit(cafe.karate()),
    lambda: cafe.Graph([[0, 1]], self_loops="maybe"),
    lambda: cafe.Graph([[0, 5]], nodes=3),
    lambda: cafe.evaluate_classification(cafe.karate(), [0, 1] * 17, np.ones((34, 3)),
                                         classifier="none"),
    lambda: cafe.layout(cafe.karate(), np.ones((34, 2)), rounds=-1),
    lambda: cafe.view(cafe.karate(), np.ones((34, 2)), page_limit=10),
    lambda: cafe.rank(cafe.karate(), damping=2.0),
    lambda: cafe.most_similar(np.ones((5, 2)), 0, measure="likeness"),
])
def test_messages_have_python_s_words(call):
    with pytest.raises((ValueError, MemoryError)) as caught:
        call()
    assert "--" not in str(caught.value) and "cafe embed" not in str(caught.value)


@pytest.mark.parametrize("call, argument", [
    (lambda: cafe.layout(cafe.karate(), np.ones((34, 2)), forces="graph", n_neighbors=5), "n_neighbors"),
    (lambda: cafe.Reduce(2, method="sphere", theta=3.0).fit(np.eye(5)), "theta"),
    (lambda: cafe.Reduce(2, beta=0.5).fit(np.eye(5)), "beta"),
    (lambda: cafe.SoftmaxClustering(n_components=4, support=3).fit(cafe.karate()), "support"),
    (lambda: cafe.LayeredCafe(4, refine=False, effort="high").fit(cafe.karate()), "effort"),
    (lambda: cafe.DeepWalk(negative=3).fit(cafe.karate()), "negative"),
])
def test_arguments_that_nothing_depends_on(call, argument):
    with pytest.raises(ValueError, match=f"{argument} goes with") as caught:
        call()
    assert "--" not in str(caught.value)


def test_messages_name_the_argument(karate):
    for call in (lambda: cafe.explain(karate, np.ones((34, 2)), labels=[1, 2]),
                 lambda: cafe.view(karate, np.ones((34, 2)), labels=[1, 2]),
                 lambda: cafe.evaluate_classification(karate, [1, 2])):
        with pytest.raises(ValueError, match="^labels: expected 34") as caught:
            call()
        assert "y:" not in str(caught.value)
    with pytest.raises(ValueError, match="^communities: expected 34"):
        cafe.explain(karate, np.ones((34, 2)), communities=[1, 2])
    with pytest.raises(ValueError, match="^embedding: "):
        cafe.explain(karate, np.ones((3, 2)))


def test_models_that_are_not_fitted(karate, tmp_path):
    from sklearn.exceptions import NotFittedError
    bare = cafe.SphereGCN(4)
    for use in (lambda: bare.embedding_, lambda: bare.to_frame(), lambda: bare.most_similar(0),
                lambda: bare.get_feature_names_out(), lambda: bare.write(tmp_path / "x.npy"),
                lambda: bare.to_arrow(), lambda: cafe.explain(karate, bare),
                lambda: cafe.view(karate, bare), lambda: cafe.place(karate, bare, [[0]]),
                lambda: cafe.layout(karate, bare), lambda: cafe.plot(bare, graph=karate),
                lambda: cafe.explain(karate, np.ones((34, 2)), communities=cafe.LayeredCafe()),
                lambda: cafe.LayeredCafe().labels_, lambda: cafe.Reduce(2).components_,
                lambda: cafe.Reduce(2).transform(np.ones((3, 3)))):
        with pytest.raises(NotFittedError, match="not fitted"):
            use()
    assert issubclass(NotFittedError, (AttributeError, ValueError)) and not hasattr(bare, "embedding_")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bare.nothing


def test_nodes_that_are_not_there():
    graph = cafe.les_miserables()
    model = cafe.SphereGCN(4).fit(graph)
    for use in (lambda: graph.index("Javet"), lambda: graph.neighbors("Javet"),
                lambda: cafe.explain(graph, model).node("Javet"), lambda: model.most_similar("Javet"),
                lambda: cafe.recommend(graph, "Javet"), lambda: cafe.rank(graph, subset=["Javet"]),
                lambda: graph.subgraph(["Javet"])):
        with pytest.raises(KeyError) as caught:
            use()
        assert str(caught.value) == "no node 'Javet'; did you mean 'Javert' or 'Babet'?"
        assert caught.value.args[0] == "Javet"
    with pytest.raises(KeyError, match="no node 40: the nodes are 0 to 33"):
        cafe.karate().index(40)
    with pytest.raises(KeyError, match=r"no node \['a'\]"):
        graph.index(["a"])
    again = pickle.loads(pickle.dumps(cafe.CafeNodeError("Javet", graph.names)))
    assert "Javert" in str(again)


def test_switches_take_the_same_values(karate):
    """True and False, whether an option is a switch or has yes and no among its words."""
    cafe.SphereGCN(4, propagate=True).fit(karate)
    cafe.LayeredCafe(4, refine=False).fit(karate)
    x = np.random.default_rng(0).normal(size=(200, 4))
    yes, no = (cafe.Graph.from_points(x, approximate=how) for how in (True, False))
    assert yes.n_nodes == no.n_nodes == 200
    assert (no.to_scipy() != cafe.Graph.from_points(x, approximate="no").to_scipy()).nnz == 0
    with pytest.raises(TypeError, match="refine='yes': expected True or False"):
        cafe.LayeredCafe(4, refine="yes").fit(karate)
    with pytest.raises(TypeError, match="propagate='yes': expected True or False"):
        cafe.SphereGCN(4, propagate="yes").fit(karate)


def test_view_leaves_nothing_behind(karate, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    page = cafe.view(karate, cafe.SphereGCN(4).fit(karate))
    assert page.path is None and page.html.startswith("<!DOCTYPE html>")
    assert "<iframe" in page._repr_html_() and os.listdir(tmp_path) == []
    cafe.plot(cafe.SphereGCN(4).fit(karate), graph=karate)._repr_png_()
    assert os.listdir(tmp_path) == []
    page.save(tmp_path / "page.html")
    with pytest.raises(FileExistsError):
        page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html


def test_explanations_pickle(karate, faction):
    why = cafe.explain(karate, cafe.SphereGCN(4).fit(karate), labels=faction)
    again = pickle.loads(pickle.dumps(why))
    assert again.to_dict() == why.to_dict() and repr(again) == repr(why)
    assert again.node(33).to_dict() == why.node(33).to_dict()
    assert pickle.loads(pickle.dumps(again)).node(0).rank == why.node(0).rank


def every_estimator():
    return [name for name in cafe.__all__ if hasattr(getattr(cafe, name), "get_params")
            and hasattr(getattr(cafe, name), "fit")]


@pytest.mark.parametrize("name", every_estimator())
def test_reports_are_json(name, karate):
    model = getattr(cafe, name)()
    if "graph" in model.get_params() or name in ("LinkPredictor", "Map"):
        pytest.skip("has no report of its own")
    model.set_params(random_state=np.random.RandomState(3), verbose=lambda progress: None)
    if name == "Reduce":
        model.fit(np.random.default_rng(0).normal(size=(40, 5)))
    elif "Label" in name:
        model.fit(karate, {0: "a", 33: "b"})
    else:
        model.fit(karate)
    assert isinstance(model.report_, dict)
    assert json.loads(json.dumps(model.report_, allow_nan=False)) == model.report_


class Bars:
    """Stands for tqdm and counts bars."""

    made = []

    def __init__(self, **options):
        Bars.made.append(self)
        self.n, self.total, self.closed, self.titles = 0, None, False, []

    def reset(self, total=None):
        self.n = 0

    def set_description(self, text, refresh=True):
        self.titles.append(text)

    def set_postfix_str(self, text, refresh=True):
        pass

    def update(self, count):
        self.n += count

    def close(self):
        self.closed = True


def test_one_bar(monkeypatch):
    import tqdm.auto
    monkeypatch.setattr(tqdm.auto, "tqdm", Bars)
    Bars.made = []
    graph, _ = cafe.generate("planted", nodes=20000, edges=200000, blocks=20)
    cafe.SphereGCN(64, residual=1e-3, verbose=True).fit(graph)
    assert len(Bars.made) == 1 and Bars.made[0].closed and len(set(Bars.made[0].titles)) > 1


def test_progress_without_tqdm(monkeypatch, capsys):
    import builtins
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("tqdm"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    cafe.SphereGCN(16, verbose=True).fit(cafe.karate())
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(set(line.split()[0] for line in lines))  # one a phase
