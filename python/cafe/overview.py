"""Everything about a graph in one call."""
import ctypes
import os
import pathlib
import tempfile
from typing import Any, Optional, Union

from . import _abi
from ._call import Context, Verbose, c_path, c_shown, of_size, run, seed_of, threads_of
from ._library import lib
from ._options import Table, options_of
from .graph import as_graph
from .view import Page, _facts, _labels, _named_twin


class Report:
    """A report: `text` is Markdown, `page` an interactive page, which shows itself in a notebook."""

    def __init__(self, text: str, page: Page) -> None:
        self.text, self.page = text, page

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.page._repr_html_()

    def save(self, path: Union[str, os.PathLike], *, overwrite: bool = False) -> pathlib.Path:
        """Writes the page (.html) or the text (.md)."""
        if pathlib.Path(path).suffix.lower() in (".html", ".htm"):
            return self.page.save(path, overwrite=overwrite)
        return Page(None, self.text, _abi.cafe_view_report()).save(path, overwrite=overwrite)


def report(graph: Any, *, labels: Any = None, table: Any = None, title: Optional[str] = None,
           random_state: Any = None, n_jobs: Optional[int] = None, verbose: Verbose = False,
           **options: Any) -> Report:
    """Everything about a graph: what was read, whether there are communities and how sure they are,
    vectors, central nodes, nodes between communities, odd nodes, and what to do next.

    Parameters
    ----------
    graph : Graph or graph-like
    labels : array or mapping, optional
        They name communities. Odd nodes are then those whose neighbours have another label.
    table : mapping or data frame, optional
        What else is known of the nodes, as for cafe.view().
    title : str, optional
    **options
        columns_shown, links, page_limit, as in `cafe help tune`.

    Examples
    --------
    >>> import cafe
    >>> print(cafe.report(cafe.karate(), title="Karate").text[:8])
    # Karate
    """
    g = as_graph(graph, n_jobs)
    options_of(options, "report", "view")

    def work(context: Context) -> Report:
        twin = _named_twin(context, g)
        read = None if labels is None else _labels(context, labels, g)
        facts = None if table is None else _facts(context, table, g)
        given = of_size(_abi.cafe_overview_inputs)
        given.title = c_shown(title or "Graph")
        given.labels, given.facts = read.pointer if read else None, facts.pointer if facts else None
        given.read = g.pointer
        made = context.make("cafe_overview_make", "cafe_overview", twin.pointer, given,
                            keep=[twin, read, facts])
        text = lib.cafe_overview_text(made.pointer).decode()
        o = Table.named("view").pointer_to(context, options, "cafe_view_options")
        figures = _abi.cafe_view_report()
        with tempfile.TemporaryDirectory(prefix="cafe-") as folder:
            target = pathlib.Path(folder, "page.html")
            context.check(lib.cafe_overview_write_sized(made.pointer, o, c_path(target), 0, figures,
                                                        ctypes.sizeof(figures)), ())
            return Report(text, Page(None, target.read_text(encoding="utf-8"), figures))

    return run(work, threads_of(n_jobs), seed_of(random_state), verbose)
