"""Explanations and pages in a notebook: escaped, named, and where they were asked for."""
import base64
import json
import re
import zlib

import numpy as np
import pytest

import cafe


@pytest.fixture(scope="module")
def named():
    names = [f"member {i}" for i in range(33)] + ['<script>alert("x")</script>']
    matrix = cafe.karate().to_scipy()
    return cafe.Graph(matrix, names=names)


def test_explanation_shows_and_escapes(named):
    why = cafe.explain(named, cafe.SphereGCN(n_components=3).fit(named),
                       labels=["<b>a</b>" if i < 20 else "b" for i in range(34)])
    text = why._repr_html_()
    assert "<script" not in text and "&lt;script&gt;" in text and "member 0" in text
    assert text.count("<table>") == text.count("</table>") == 2
    assert why.dimensions[0].label[0] in ("<b>a</b>", "b")
    assert json.loads(json.dumps(why.to_dict()))["communities"]
    assert why.node("member 5").node == "member 5"
    words = why.node("member 5").text().splitlines()
    assert 7 <= len(words) <= 11 and words[0].startswith("member 5 is in community ")
    with pytest.raises(KeyError):
        why.node("nobody")


def test_association_with_labels(karate, faction):
    x = np.stack([np.where(faction == 1, 1.0, -1.0), np.arange(34)], axis=1)
    why = cafe.explain(karate, x, labels=faction)
    label, correlation, ratio = why.dimensions[0].label
    assert abs(correlation) == pytest.approx(1) and ratio == pytest.approx(1)
    assert (correlation > 0) == (label == 1)
    share = why.dimensions[1].label[2]
    means = [x[faction == c, 1].mean() for c in (0, 1)]
    between = sum((faction == c).sum() * (m - x[:, 1].mean())**2 for c, m in enumerate(means))
    assert share == pytest.approx(between / ((x[:, 1] - x[:, 1].mean())**2).sum())


def test_another_run_beside(karate, faction):
    model = cafe.SphereGCN(n_components=3).fit(karate)
    plain = cafe.view(karate, model).html
    assert '"before"' not in plain
    beside = cafe.view(karate, model, before=[f"club {k}" for k in faction]).html
    assert 'data-section="before"' in beside and 'data-section="before-names"' in beside
    maps = cafe.view(karate, model, before=cafe.SphereGCN(n_components=5).fit(karate)).html
    assert 'data-section="before-x"' in maps and 'data-section="before"' not in maps
    with pytest.raises(ValueError, match="before"):
        cafe.view(karate, model, before=[1, 2])


def test_given_communities(karate, faction):
    why = cafe.explain(karate, cafe.SphereGCN(n_components=3).fit(karate), communities=faction)
    assert len(why.communities) == 2 and np.array_equal(why.partition, faction)
    assert why.ceiling is not None
    bare = cafe.explain(karate, cafe.SphereGCN(n_components=3).fit(karate), spectrum=False, bound=False)
    assert bare.spectrum is None and bare.ceiling is None


def test_page(tmp_path, named, faction):
    path = tmp_path / "page.html"
    model = cafe.LayeredCafe(n_components=8).fit(named)
    page = cafe.view(named, model, path, labels=np.array(["Mr. Hi, and his", "officers"])[faction],
                     title="The <club>")
    assert page.path == path and path.stat().st_size == page.report["bytes"] > 10000
    assert page.report["names"] == 1 and page.report["labels"] == 1
    text = path.read_text()
    assert "The <club>" not in text and "The &lt;club" in text
    assert '<script>alert("x")' not in text
    frame = page._repr_html_()
    assert frame.startswith('<iframe srcdoc="') and frame.count("<") == 2  # all else is escaped
    assert re.search(r'sandbox="allow-scripts[^"]*"', frame) and "allow-same-origin" not in frame
    with pytest.raises(FileExistsError):
        cafe.view(named, model, path)
    cafe.view(named, model, path, overwrite=True)


def test_page_of_arrays(karate, faction, rng):
    page = cafe.view(karate, rng.normal(size=(34, 5)), map=rng.normal(size=(34, 2)),
                     communities={i: int(faction[i]) for i in range(30)}, links="none")
    assert page.report["links"] == 0 and page.report["layers"] == 1
    with pytest.raises(ValueError, match="map"):
        cafe.view(karate, rng.normal(size=(34, 5)), map="somehow")


def test_layout(planted):
    model = cafe.SphereGCN(n_components=16).fit(planted[0])
    points = cafe.layout(planted[0], model, n_jobs=1)
    assert points.shape == (2000, 2) and np.isfinite(points).all()
    assert np.array_equal(points, cafe.layout(planted[0], model, n_jobs=3))


def _section(text, name):
    """The bytes of an array of a page."""
    packed = re.search(f'data-section="{name}">([^<]*)<', text).group(1)
    return zlib.decompress(base64.b64decode(packed), -15)


def test_page_has_the_table_and_the_names_of_communities(tmp_path, named, faction):
    part = np.array(["Mr. Hi", "Officer"])[faction]
    page = cafe.view(named, cafe.SphereGCN(n_components=3).fit(named), tmp_path / "page.html", communities=part,
                     table={"age": [20 + u if u else None for u in range(34)], "home": {"member 3": "Köln"}})
    text = (tmp_path / "page.html").read_text()
    assert page.report["facts"] == 2 and '"table":["age","home"]' in text
    assert _section(text, "community-names") == b"Mr. Hi\0Officer\0"
    assert _section(text, "words-1") == "Köln\0".encode()
    assert _section(text, "words-0").startswith(b"21\0") and sum(_section(text, "table-1")) == 1
    with pytest.raises(ValueError, match="expected 34 values"):
        cafe.view(named, np.ones((34, 2)), tmp_path / "other.html", table={"age": [1, 2]})


def test_report_has_text_and_page(named, tmp_path):
    found = cafe.report(named, labels=[0] * 17 + [1] * 17, title="A *b*")
    assert found.text.startswith("# A \\*b\\*\n") and "## Odd nodes" in found.text
    assert repr(found) == found.text and "<iframe" in found._repr_html_()
    assert '"summary":[' in found.page.html and "<script>alert" not in found.page.html
    assert found.save(tmp_path / "r.md").read_text(encoding="utf-8") == found.text
    assert found.save(tmp_path / "r.html").read_text(encoding="utf-8") == found.page.html
    with pytest.raises(cafe.CafeExistsError):
        found.save(tmp_path / "r.md")


def test_report_counts_what_was_dropped():
    found = cafe.report(cafe.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 2), (1, 0)]))
    assert "| self-loops | 1 | dropped |" in found.text
