"""What the tool has, in Python: the same figures, and tables that read well."""
import json
import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest

import cafe


def tool(*arguments):
    """The report of a run of the tool."""
    if "CAFE" not in os.environ:
        pytest.skip("$CAFE names no tool")
    done = subprocess.run([os.environ["CAFE"], *map(str, arguments), "--json", "-", "-q"], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A set as the tool reads it: graph and labels."""
    where = tmp_path_factory.mktemp("set")
    graph, labels = cafe.generate("planted", nodes=300, edges=2400, blocks=5, mixing=0.15)
    graph.write(where / "edges.txt")
    (where / "labels.txt").write_text("".join(f"{u} {c}\n" for u, c in enumerate(labels)))
    return where


# ---- rank, recommend, bounds -------------------------------------------------------------------

@pytest.mark.parametrize("by, options", [("pagerank", {}), ("degree", {}), ("pagerank", {"damping": 0.5})])
def test_rank_is_the_tool_s(folder, by, options):
    ours = cafe.rank(folder / "edges.txt", by, top=7, **options)
    theirs = tool("rank", folder / "edges.txt", "--by", by, "--top", 7,
                  *(f"--{k}={v}" for k, v in options.items()))["top"]
    assert [int(row["node"]) for row in theirs] == ours["node"].tolist()
    assert np.allclose([row["value"] for row in theirs], ours[by], rtol=1e-9)
    assert ours.values.sum() == pytest.approx(1) and len(ours) == 7
    assert ours.to_frame().columns.tolist() == ["node", by]


def test_rank_of_a_subset(karate):
    near = cafe.rank(karate, "relative", subset=[33], top=None)
    assert len(near) == 34 and near.values.sum() == pytest.approx(1)
    assert set(near["node"][near["relative"] > 0]) == set(karate.neighbors(33))
    assert cafe.rank(karate, subset=[0])["node"][0] == 0
    for wrong in (dict(by="nothing"), dict(by="relative"), dict(by="degree", subset=[1]), dict(top=0),
                  dict(subset=[])):
        with pytest.raises(ValueError):
            cafe.rank(karate, **wrong)


def test_sets(karate, faction):
    pair = cafe.compare_sets(karate, np.flatnonzero(faction), np.flatnonzero(faction == 0))
    assert pair.first.nodes == 17 and pair.first.mass + pair.second.mass == pytest.approx(1)
    assert pair.first.inside + pair.joint == pytest.approx(pair.first.mass)
    assert pair.to_dict()["first"]["nodes"] == 17


@pytest.mark.parametrize("score", ["product", "covariance", "common", "popularity"])
def test_recommendations_are_the_tool_s(folder, score):
    ours = cafe.recommend(folder / "edges.txt", [3, 200], 5, score=score)
    theirs = tool("recommend", folder / "edges.txt", "--node", "3,200", "--top", 5, "--score", score)["recommendations"]
    flat = [(int(entry["node"]), int(one["node"])) for entry in theirs for one in entry["list"]]
    assert list(zip(ours["node"].tolist(), ours["recommended"].tolist())) == flat
    near = cafe.recommend(folder / "edges.txt", 3, 300, score=score, linked=True)["recommended"]
    known = set(cafe.Graph(folder / "edges.txt").neighbors(3))
    assert known <= set(near) and not known & set(ours["recommended"][ours["node"] == 3])


def test_recommendation_finds_hidden_links(folder):
    found = cafe.evaluate_recommendation(folder / "edges.txt", 0.2, n_components=16)
    theirs = tool("recommend", folder / "edges.txt", "--evaluate", 0.2, "--columns", 16)["evaluation"]
    assert np.allclose([row["auc"] for row in theirs], found["auc"], rtol=1e-9)
    assert found["auc"][0] > 0.7
    split = cafe.hide_links(cafe.Graph(folder / "edges.txt"), 0.2)
    assert split.training.n_edges + len(split.source) == cafe.Graph(folder / "edges.txt").n_edges
    with pytest.raises(ValueError, match="share"):
        cafe.hide_links(cafe.karate(), 1.5)
    with pytest.raises(ValueError, match="embedding= goes with"):
        cafe.recommend(cafe.karate(), 0, score="common", embedding=np.ones((34, 2)))


def test_bounds_are_the_tool_s(folder):
    ours, theirs = cafe.bounds(folder / "edges.txt"), tool("explain", folder / "edges.txt", "--eigenvector")
    text = json.dumps(theirs)
    assert f"{ours.first:.12g}"[:10] in text and ours.plain.cosine_x <= 1 + 1e-9
    assert "plain" in repr(ours) and "<table>" in ours._repr_html_()
    assert np.linalg.norm(ours.v1) == pytest.approx(1)


# ---- how sure communities are --------------------------------------------------------------------

def test_trials_are_the_tool_s(folder):
    ours = cafe.trials(folder / "edges.txt", 6, resolution=2)
    theirs = tool("cluster", folder / "edges.txt", "--trials", 6, "--resolution", 2)["trials"]
    assert [ours.best, ours.p, ours.z, ours.consensus_modularity] == [
        theirs["best"], theirs["random"]["p"], theirs["random"]["z"], theirs["consensus"]["modularity"]]
    assert ours.community_stay == pytest.approx(theirs["stay"])
    assert [(m["first"], m["second"]) for m in theirs["merged"]] == [(a, b) for a, b, s in ours.merged if s > 0]
    assert ours.modularity.max() == ours.modularity[ours.best] and "z" in repr(ours)
    ours = cafe.resolution_profile(folder / "edges.txt", 0.5, 2, 4)
    theirs = tool("cluster", folder / "edges.txt", "--profile", "0.5:2:4")["profile"]
    assert ours.seeds.tolist() == [row["seeds"] for row in theirs] and np.isnan(ours.next[-1])
    assert len(ours.to_frame()) == 4
    with pytest.raises(ValueError, match="trials"):
        cafe.trials(cafe.karate(), 1)
    with pytest.raises(TypeError, match="resolution"):
        cafe.trials(cafe.karate(), resolutoin=2)


# ---- evaluation --------------------------------------------------------------------------------

def test_classification_is_the_tool_s(folder):
    found = cafe.load(folder)
    ours = cafe.evaluate_classification(found.graph, found.labels, cafe.SphereGCN(16), repeats=3)
    theirs = tool("evaluate", "classify", folder / "edges.txt", "--labels", folder / "labels.txt",
                  "--columns", 16, "--classifier", "logistic", "--repeats", 3)["results"]
    assert [row["accuracy"]["mean"] for row in theirs] == pytest.approx(
        [float(f) for f in ours["accuracy"]], abs=1e-12)
    assert [row["macro_f1"]["std"] for row in theirs] == pytest.approx(
        [f.std for f in ours["macro_f1"]], abs=1e-12)
    assert ours.values.shape == (3, 3, 5)
    again = cafe.evaluate_classification(found.graph, found.labels, cafe.SphereGCN(16), repeats=3,
                                         n_jobs=3)
    assert np.array_equal(ours.values, again.values)
    frame = ours.to_frame()
    assert frame["accuracy_std"].iloc[0] == ours["accuracy"][0].std and " ± " in repr(ours)


def test_methods_that_see_labels(folder):
    found = cafe.load(folder)
    alone = cafe.evaluate_classification(found.graph, found.labels, cafe.LabelPropagation(),
                                         classifier="none", train=0.3, repeats=2)
    told = cafe.evaluate_classification(found.graph, found.labels, cafe.CafeGCN(output_form="raw"),
                                        supervised=True, classifier="none", train=0.3, repeats=2)
    theirs = tool("evaluate", "classify", folder / "edges.txt", "--labels", folder / "labels.txt",
                  "--method", "cafe", "--output-form", "raw", "--supervised", "--classifier", "none",
                  "--train", 0.3, "--repeats", 2)["results"]
    assert float(told["accuracy"][0]) == pytest.approx(theirs[0]["accuracy"]["mean"], abs=1e-12)
    assert float(alone["accuracy"][0]) > 0.8
    chosen = cafe.evaluate_classification(
        found.graph, found.labels, cafe.LabelPropagation(alpha=0.1, kind="spreading"),
        choose=[cafe.LabelPropagation(alpha=0.9, kind="spreading")], classifier="none", train=0.3,
        repeats=2)
    assert set(chosen.choices.ravel()) <= {0, 1}
    with pytest.raises(ValueError, match="takes no labels"):
        cafe.evaluate_classification(found.graph, found.labels, cafe.SphereGCN(4), supervised=True)


def test_classifiers_of_scikit_learn(folder):
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC
    found = cafe.load(folder)
    x = cafe.SphereGCN(16).fit_transform(found.graph)
    for classifier in (LogisticRegression(), LinearSVC(dual=False)):
        ours = cafe.evaluate_classification(found.graph, found.labels, x * 100, train=0.3, repeats=2,
                                            classifier=classifier, n_jobs=2)
        assert float(ours["accuracy"][0]) > 0.8

    class Broken(LogisticRegression):
        def fit(self, X, y):
            raise RuntimeError("broken on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        cafe.evaluate_classification(found.graph, found.labels, x, classifier=Broken())
    with pytest.raises(ValueError, match="classifier='trees'"):
        cafe.evaluate_classification(found.graph, found.labels, x, classifier="trees")
    with pytest.raises(TypeError, match="classifier"):
        cafe.evaluate_classification(found.graph, found.labels, x, classifier=3)


def test_several_models_on_the_same_splits(folder):
    found = cafe.load(folder)
    models = {"sphere": cafe.SphereGCN(16), "noise": np.random.default_rng(0).normal(size=(300, 4))}
    both = cafe.evaluate_classification(found.graph, found.labels, models, train=0.3, repeats=4)
    assert both["model"] == ["sphere", "noise"] and both["rank"] == [1.0, 2.0]
    difference = both.evaluations["noise"].values - both.evaluations["sphere"].values
    metric = both.evaluations["noise"].metrics.index("micro_f1")
    assert both["difference"][1] == pytest.approx(difference[0, :, metric].mean())
    assert both["p"][1] < 0.05 and np.isnan(both["p"][0])
    with pytest.raises(ValueError, match="metric='best'"):
        cafe.evaluate_classification(found.graph, found.labels, models, metric="best", repeats=1)


def test_nodes_of_several_labels(karate):
    several = [["a", "b"] if u % 3 == 0 else ["a"] if u < 17 else ["b"] for u in range(34)]
    found = cafe.evaluate_classification(karate, several, cafe.SphereGCN(8), train=0.5, repeats=2)
    table = np.array([[1 if c in row else 0 for c in "ab"] for row in several])
    same = cafe.evaluate_classification(karate, table, cafe.SphereGCN(8), train=0.5, repeats=2)
    assert np.array_equal(found.values, same.values)


@pytest.mark.parametrize("protocol", ["paper", "honest"])
def test_links_are_the_tool_s(folder, protocol):
    ours = cafe.evaluate_links(folder / "edges.txt", cafe.SphereGCN(8), protocol=protocol, train=0.8,
                               repeats=2, operator="hadamard")
    theirs = tool("evaluate", "link", folder / "edges.txt", "--columns", 8, "--tune", f"protocol={protocol}",
                  "--train", 0.8, "--repeats", 2, "--tune", "operator=hadamard", "--classifier",
                  "logistic")["results"]
    assert float(ours["auc"][0]) == pytest.approx(theirs[0]["auc"]["mean"], abs=1e-12)
    assert (ours.hidden[0] > 0) == (protocol == "honest")


def test_links_are_hidden_unless_told(karate):
    found = cafe.evaluate_links(karate, cafe.SphereGCN(4), train=0.8, repeats=2)
    same = cafe.evaluate_links(karate, cafe.SphereGCN(4), protocol="honest", train=0.8, repeats=2)
    assert np.array_equal(found.values, same.values) and found.hidden[0] > 0
    assert cafe.evaluate_links(karate, train=0.8, repeats=1).hidden[0] > 0
    with pytest.raises(ValueError, match="protocol='paper' takes vectors"):
        cafe.evaluate_links(karate, np.ones((34, 2)))


def test_links_refuse(karate):
    with pytest.raises(ValueError, match="needs an estimator"):
        cafe.evaluate_links(karate, np.ones((34, 2)), protocol="honest")
    with pytest.raises(ValueError, match="needs labels"):
        cafe.evaluate_links(karate, cafe.LabelPropagation())
    with pytest.raises(TypeError, match="evaluate_links.*'protocl'; did you mean 'protocol'"):
        cafe.evaluate_links(karate, protocl="honest")


def test_clustering_is_the_tool_s(folder):
    found = cafe.load(folder)
    ours = cafe.evaluate_clustering(found.graph, labels=found.labels)
    theirs = tool("evaluate", "cluster", folder / "edges.txt", "--labels", folder / "labels.txt")
    assert ours.nmi == pytest.approx(theirs["nmi"]) and ours.ari == pytest.approx(theirs["ari"])
    assert ours.modularity == pytest.approx(theirs["communities"]["modularity"])
    walk = cafe.evaluate_clustering(found.graph, found.labels, sampling="walk", window=3)
    assert walk.nmi is None and walk.communities == 5


# ---- update, forecast, plot --------------------------------------------------------------------

def test_update_is_the_tool_s(folder, tmp_path):
    graph = cafe.Graph(folder / "edges.txt")
    model = cafe.SphereGCN(8, output_form="raw", columns_from="top").fit(graph)
    (tmp_path / "changes.txt").write_text("+ 0 299\n+ 3 300\n- 0 %d\n" % graph.neighbors(0)[0])
    model.write(tmp_path / "old.npy")
    theirs = tool("update", folder / "edges.txt", tmp_path / "changes.txt", "--from",
                  tmp_path / "old.npy", "-o", tmp_path / "new.npy")
    ours = cafe.update(graph, model, added=[(0, 299), (3, 300)], removed=[(0, graph.neighbors(0)[0])],
                       communities=cafe.LayeredCafe().fit(graph))
    assert ours.graph.n_nodes == 301 and ours.work["swept"] == theirs["swept"]
    assert np.array_equal(ours.embedding, np.load(tmp_path / "new.npy"))
    assert np.isnan(ours.drift[300]) and ours.origin[300] == -1
    assert ours.transition.before >= 1 and len(ours.transition.communities) == 301
    assert "added" in repr(ours)


def test_update_of_names():
    graph = cafe.les_miserables()
    model = cafe.SphereGCN(4, output_form="raw", columns_from="top").fit(graph)
    new = cafe.update(graph, model, added=[("Javert", "Napoleon"), ("Hugo", "Valjean", 3)])
    assert new.graph.nodes[-1] == "Hugo" and "Napoleon" in new.graph.neighbors("Javert")
    with pytest.raises(KeyError, match="did you mean 'Javert'"):
        cafe.update(graph, model, removed=[("Javer", "Napoleon")])
    with pytest.raises(ValueError, match="output_form='raw'"):
        cafe.update(graph, cafe.SphereGCN(4).fit(graph), added=[("Javert", "Napoleon")])


def test_forecast(karate, folder):
    small, large = (cafe.forecast(cafe.SphereGCN(k), folder / "edges.txt") for k in (8, 64))
    assert 0 < small.needed < large.needed and large.fits and large.limit is None
    theirs = tool("embed", folder / "edges.txt", "--columns", 64, "--threads", 1, "--dry-run")
    assert large.needed == theirs["memory"]["needed"]
    tight = cafe.forecast(cafe.SphereGCN(64), folder / "edges.txt", memory_limit=1000)
    assert not tight.fits and tight.limit == 1000 and tight.to_dict()["least"] > 1000
    assert " MiB" in repr(small)
    for wrong in (3, cafe.SoftmaxClustering(4), cafe.Reduce(2)):
        with pytest.raises(TypeError, match="estimator that makes vectors"):
            cafe.forecast(wrong, karate)


@pytest.mark.skipif("CAFE" not in os.environ, reason="the tool is not there: set $CAFE")
@pytest.mark.parametrize("words, model", [
    ([], lambda: cafe.SphereGCN(n_jobs=1)),
    (["-k", "8", "--output-form", "raw"], lambda: cafe.SphereGCN(8, output_form="raw", n_jobs=1)),
    (["-k", "8", "--columns-from", "top"], lambda: cafe.SphereGCN(8, columns_from="top", n_jobs=1)),
    (["--method", "cafe", "-k", "5", "--sampling", "walk", "--window", "3"],
     lambda: cafe.CafeGCN(5, sampling="walk", window=3, n_jobs=1)),
    (["--method", "prone", "-k", "8"], lambda: cafe.ProNE(8, n_jobs=1)),
    (["-k", "8", "--propagate"], lambda: cafe.SphereGCN(8, propagate=True, n_jobs=1)),
])
def test_forecast_is_the_tools(folder, words, model):
    path = folder / "edges.txt"
    told = subprocess.run([os.environ["CAFE"], "embed", path, *words, "-t", "1", "--dry-run", "-q", "--json", "-"],
                          check=True, capture_output=True).stdout
    memory, mine = json.loads(told)["memory"], cafe.forecast(model(), path)
    assert (mine.needed, mine.fits) == (memory["needed"], memory["fits"])


def test_a_fit_that_does_not_fit_is_refused(karate):
    assert cafe.forecast(cafe.CafeGCN(4, sampling="twisted"), karate).fits
    code = ("import cafe, resource\n"
            "import numpy as np\n"
            "ring = np.arange(100000)\n"
            "g = cafe.Graph.from_edges(np.column_stack([ring, np.roll(ring, 1)]))\n"
            "now = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
            "resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, now + 2**28))\n"
            "model = cafe.SphereGCN(1024)\n"
            "assert not cafe.forecast(model, g).fits\n"
            "try:\n"
            "    model.fit(g)\n"
            "except cafe.CafeMemoryError as error:\n"
            "    print(error)\n")
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "it does not fit; fewer n_components need less" in told.stdout, told.stderr


def test_forecast_ranks(karate, folder):
    path, model = folder / "edges.txt", cafe.SphereGCN(64)
    mine = cafe.forecast_ranks(model, path, 4, network="25G", memory_bandwidth=100e9)
    told = tool("embed", path, "--columns", 64, "--threads", 1, "--dry-run", "--tune", "ranks=4", "--tune", "network=25G",
                "--tune", "memory-bandwidth=100G")["distributed"]
    for name in ("ghost_rows", "bytes_per_sweep", "rank_rows", "rank_sends", "sweep_seconds", "cut"):
        assert getattr(mine, name) == told[name]
    assert mine.counted and mine.memory == told["rank_bytes"] and mine.network == 25e9 / 8
    assert mine.to_dict()["ranks"] == 4 and "ghost_rows" in repr(mine)
    big = cafe.forecast_ranks(model, (10**10, 10**12), 1000)
    assert not big.counted and big.nodes == 10**10 and big.run_seconds is None
    assert cafe.forecast_ranks(model, (10**6, 10**7), 1, memory_bandwidth="10GB").ghost_seconds == 0
    for wrong, how in (dict(network="25gb"), "25Gbit or 25GB"), (dict(cut=2), "cut"), (dict(ranks=0), "ranks"):
        with pytest.raises(ValueError, match=how):
            cafe.forecast_ranks(model, karate, **{"ranks": 2, **wrong})
    for size in (10**30, 5), (-1, 5), (0, 0), (5, -1):
        with pytest.raises(ValueError, match="nodes"):
            cafe.forecast_ranks(model, size, 2)
    with pytest.raises(ValueError, match="one process alone"):
        cafe.forecast_ranks(cafe.DeepWalk(8), karate, 2)


def test_plot(karate, faction, tmp_path):
    model = cafe.SphereGCN(4).fit(karate)
    picture = cafe.plot(model, graph=karate, labels=faction, title="Club", pixels_wide=320, pixels_high=240)
    assert picture.pixels().shape == (240, 320, 3) and picture._repr_png_()[:4] == b"\x89PNG"
    assert "Club" in picture.svg() and "\u2800" <= max(picture.text(40))
    cafe.plot(model, columns=(0, 1), values=karate.degrees, path=tmp_path / "p.svg")
    with pytest.raises(FileExistsError):
        picture.save(tmp_path / "p.svg")
    for wrong in (dict(columns=(0, 9)), dict(labels=faction, values=faction), dict(), dict(
            values=[1, 2], columns=(0, 1))):
        with pytest.raises(ValueError):
            cafe.plot(model, **wrong)
    with pytest.raises(ValueError, match=".png, .svg or .pdf"):
        picture.save(tmp_path / "p.gif")


def test_map_quality(planted):
    model = cafe.SphereGCN(16).fit(planted[0])
    good = cafe.layout_quality(model, cafe.layout(planted[0], model))
    bad = cafe.layout_quality(model, np.random.default_rng(0).normal(size=(2000, 2)))
    assert good.trustworthiness > 0.8 > bad.trustworthiness and 0 <= bad.kept < good.kept <= 1


# ---- similar vectors ---------------------------------------------------------------------------

@pytest.mark.parametrize("measure", ["cosine", "product", "distance"])
def test_most_similar_against_numpy(planted, measure):
    x = cafe.SphereGCN(16).fit_transform(planted[0]).astype(float)
    unit = x / np.linalg.norm(x, axis=1)[:, None]
    score = {"cosine": unit @ unit[7], "product": x @ x[7],
             "distance": -np.linalg.norm(x - x[7], axis=1)}[measure]
    order = [u for u in np.argsort(-score, kind="stable") if u != 7][:9]
    found = cafe.most_similar(x, 7, 9, measure=measure)
    assert np.allclose(np.abs(score[order]), found[measure], atol=1e-5)
    assert len(set(order) & set(found["node"].tolist())) >= 8


def test_approximate_search(planted):
    x = cafe.SphereGCN(16).fit_transform(planted[0])
    exact, near = (cafe.SimilarIndex(x, approximate=how) for how in (False, True))
    assert exact.exact and not near.exact
    names, scores = exact.search(x[:200] + 0.01, 10)
    found, _ = near.search(x[:200] + 0.01, 10, n_jobs=2)
    shared = np.mean([len(set(a) & set(b)) for a, b in zip(names, found)])
    assert shared > 9 and names.shape == scores.shape == (200, 10)
    again, _ = cafe.SimilarIndex(x, approximate=True, n_jobs=3).search(x[:200] + 0.01, 10)
    assert np.array_equal(found, again)


def test_one_question_needs_no_index():
    x = np.random.default_rng(0).normal(size=(50001, 2))
    assert not cafe.SimilarIndex(x).exact
    close = np.argsort(np.linalg.norm(x - x[3], axis=1), kind="stable")[1:4]
    assert set(cafe.most_similar(x, 3, 3, measure="distance")["node"].tolist()) == set(close.tolist())


def test_similar_names():
    model = cafe.SphereGCN(8).fit(cafe.les_miserables())
    found = model.most_similar("Javert", 5)
    assert "Javert" not in found["node"] and len(found) == 5 and found.titles == ["node", "cosine"]
    with pytest.raises(KeyError, match="did you mean 'Javert'"):
        model.most_similar("Javet")
    index = cafe.SimilarIndex(model)
    same = pickle.loads(pickle.dumps(index))
    assert same.most_similar("Javert", 5)["node"].tolist() == found["node"].tolist()
    with pytest.raises(ValueError, match="columns"):
        index.search(np.ones((1, 3)))
    few, scores = cafe.SimilarIndex(np.eye(3)).search(np.ones((1, 3)), 9)
    assert few.shape[1] <= 3 and np.isfinite(scores.astype(float)).any()


# ---- data sets ---------------------------------------------------------------------------------

def test_sets_that_ship():
    import networkx
    ours, theirs = cafe.les_miserables(), networkx.les_miserables_graph()
    assert networkx.utils.graphs_equal(ours.to_networkx(), theirs) or (
        set(map(frozenset, ours.to_networkx().edges)) == set(map(frozenset, theirs.edges)))
    assert all(theirs[u][w]["weight"] == d for u, w, d in zip(*(e.tolist() for e in ours.to_edges())))
    graph, conference = cafe.football(return_labels=True)
    assert graph.n_nodes == 115 and len(set(conference)) == 12
    inside = np.mean([conference[u] == conference[w] for u, w, _ in zip(*graph.to_edges())])
    assert 0.55 < inside < 0.75
    assert (cafe.football().to_scipy() != graph.to_scipy()).nnz == 0


def test_folders(tmp_path):
    import gzip
    with gzip.open(tmp_path / "edges.txt.gz", "wt") as file:
        file.write("ann bob\nbob cy\n")
    (tmp_path / "labels.txt").write_text("ann x\ncy x,y\nzoe y\n")
    (tmp_path / "points.txt").write_text("1 2\n3 4\n5 6\n")
    found = cafe.load(tmp_path)
    assert found.graph.nodes.tolist() == ["ann", "bob", "cy", "zoe"]
    assert found.labels.tolist() == [("x",), None, ("x", "y"), ("y",)]
    assert found.points.shape == (3, 2) and "classes  2" in repr(found)
    with pytest.raises(FileNotFoundError):
        cafe.load(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        cafe.load(tmp_path, edges="none.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="expected edges.txt"):
        cafe.load(tmp_path / "empty")


# ---- checkpoints -------------------------------------------------------------------------------

KILLED = """
import cafe, sys
cafe.SphereGCN(4, max_iter=300, tol=0, n_jobs=1).fit(cafe.karate(), checkpoint=sys.argv[1])
"""


def test_checkpoint(tmp_path, karate):
    path = tmp_path / "run.checkpoint"
    while not path.exists():  # a run that was over before it was killed has none
        job = subprocess.Popen([sys.executable, "-c", KILLED, str(path)])
        while not path.exists() and job.poll() is None:
            time.sleep(0.001)
        job.kill()
        job.wait(timeout=300)
    model = cafe.SphereGCN(4, max_iter=300, tol=0)
    with pytest.raises(ValueError, match="seed is 1 there and 2 here"):
        cafe.SphereGCN(4, max_iter=300, tol=0, random_state=2).fit(karate, checkpoint=path)
    assert path.exists()
    resumed = model.fit(karate, checkpoint=path, every=50)
    assert resumed.report_["checkpoint"]["resumed_after_sweep"] > 0 and not path.exists()
    found, objective = resumed.embedding_, resumed.objective_
    assert np.array_equal(found, model.fit(karate).embedding_)
    assert np.array_equal(objective, model.objective_)
    soft = cafe.SoftmaxClustering(4, max_iter=5).fit(karate, checkpoint=path)
    assert soft.report_["checkpoint"]["saved"] > 0 and not path.exists()
    with pytest.raises(ValueError, match="checkpoint does not go with method='layers'"):
        cafe.LayeredCafe(4).fit(karate, checkpoint=path)
    with pytest.raises(ValueError, match="1 at least"):
        model.fit(karate, checkpoint=path, every=0)
    with pytest.raises(TypeError):
        model.fit(karate, checkpoint=path, every="often")
    with pytest.raises(FileNotFoundError):
        model.fit(karate, checkpoint=tmp_path / "none" / "file")


# ---- versions, texts ---------------------------------------------------------------------------

def test_show_versions(capsys):
    cafe.show_versions()
    text = capsys.readouterr().out
    assert cafe.__version__ in text and np.__version__ in text and "processor" in text
    assert sys.executable in text
    # nothing is read that was freed: such memory is overwritten there
    subprocess.run([sys.executable, "-c", "import cafe; cafe.show_versions()"], check=True, timeout=300,
                   env={**os.environ, "MALLOC_PERTURB_": "165"}, stdout=subprocess.DEVNULL)


def test_texts_of_results(karate):
    model = cafe.LayeredCafe(8).fit(karate)
    assert repr(model.layers_[-1]) == "Layer(4 communities, modularity 0.4198, the last)"
    assert "array(" not in repr(model.certificate_) and "residual" in repr(model.certificate_)
    why = cafe.explain(karate, model)
    for card in (model.certificate_, model.layers_[0], why.dimensions[0], why.communities[0],
                 why.node(0), why.spectrum, why.ceiling, cafe.forecast(model, karate)):
        assert "array(" not in repr(card) and max(map(len, repr(card).splitlines())) < 120
        assert card._repr_html_().count("<tr>") >= 2 and "<table>" in card._repr_html_()
        json.dumps(card.to_dict())
    assert len(model.certificate_.to_frame()) == model.certificate_.pairs
    assert len(why.to_frame()) == len(why.dimensions) and len(why.to_frame("communities")) == 4
    rows = cafe.rank(karate, top=None)
    assert "... and 14 more" in repr(rows) and "more" in rows._repr_html_()
