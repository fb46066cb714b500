"""Clusters and vectors of cells, in the places of an AnnData where scanpy writes its own.

    import cafe.scanpy
    cafe.scanpy.cluster(adata, resolution=0.8)         # adata.obs["cafe"]

Only attributes of the object are used. scanpy and anndata are not imported.
"""
import re
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._elsewhere import communities_of, graph_of
from .embed import SphereGCN  # type: ignore[attr-defined]
from .graph import Graph


def cluster(adata: Any, resolution: float = 1, *, restrict_to: Optional[Tuple[str, Sequence[str]]] = None,
            random_state: Any = 0, key_added: str = "cafe", adjacency: Any = None,
            directed: Optional[bool] = None, use_weights: bool = True, n_iterations: int = -1,
            neighbors_key: Optional[str] = None, obsp: Optional[str] = None, copy: bool = False,
            n_jobs: Optional[int] = None, **options: Any) -> Any:
    """Clusters of cells by cafe.LayeredCafe, with the arguments of scanpy.tl.leiden.

    Parameters
    ----------
    adata : anndata.AnnData
        With neighbours, as scanpy.pp.neighbors leaves them.
    resolution : float
        Larger values give more clusters.
    restrict_to : (str, sequence of str), optional
        A column of obs and its categories: only their cells are divided.
    random_state : int or generator
        The seed. The same seed gives the same clusters for any number of threads.
    key_added : str
        The column of obs, and the key in uns.
    adjacency : scipy.sparse matrix, optional
        The graph, instead of that of adata.
    directed : bool, optional
        True: directed modularity, if the graph is not symmetric.
    use_weights : bool
        False: every edge weighs 1.
    n_iterations : int
        Noted in uns only: a run ends when no move gains.
    neighbors_key, obsp : str, optional
        Where the graph is: a key of uns, or of obsp.
    copy : bool
        Return a changed copy instead of changing adata.
    n_jobs : int, optional
        Threads; None is 1, -1 one per CPU.
    **options
        Options of cafe.LayeredCafe, as effort="high". `flavor` and `partition_type` are not among them.

    Returns
    -------
    AnnData or None
        obs[key_added] is a categorical of texts, "0" the largest cluster; uns[key_added] has params and
        modularity.
    """
    adata = adata.copy() if copy else adata
    matrix = _neighbours(adata, neighbors_key, obsp) if adjacency is None else adjacency
    chosen = None
    if restrict_to is not None:
        column, categories = restrict_to
        chosen = _restricted(adata.obs[column], column, categories)
        matrix = matrix[chosen, :][:, chosen]
        key_added = f"{key_added}_R" if key_added == "cafe" else key_added
    graph = _graph(matrix, use_weights, bool(directed))
    found = communities_of(graph, "modularity", resolution, caller="cafe.scanpy.cluster",
                           directed=bool(graph.counts["directed"]), random_state=random_state, n_jobs=n_jobs,
                           **options)
    groups = found.labels.astype("U").astype(object)
    if chosen is not None:
        prefix, whole = "-".join(categories), adata.obs[column].astype("U").to_numpy(dtype=object, copy=True)
        whole[chosen] = [f"{prefix},{group}" for group in groups]
        groups = whole
    import pandas
    adata.obs[key_added] = pandas.Categorical(groups, categories=sorted(set(groups), key=_natural))
    params = {"resolution": resolution, "n_iterations": n_iterations, "random_state": random_state}
    adata.uns[key_added] = {"params": params, "modularity": found.quality}
    return adata if copy else None


def embed(adata: Any, n_comps: int = 50, *, random_state: Any = 0, key_added: str = "X_cafe",
          adjacency: Any = None, use_weights: bool = True, neighbors_key: Optional[str] = None,
          obsp: Optional[str] = None, copy: bool = False, n_jobs: Optional[int] = None, **options: Any) -> Any:
    """Vectors of cells by cafe.SphereGCN, from the graph of their neighbours.

    `n_comps` is the number of columns; **options are those of cafe.SphereGCN; the others are as in
    cluster(). obsm[key_added] has the vectors, a row per cell; uns[key_added] has params, ritz_values and
    residuals: an eigenvalue lies within the residual of each Ritz value.
    """
    adata = adata.copy() if copy else adata
    matrix = _neighbours(adata, neighbors_key, obsp) if adjacency is None else adjacency
    model = SphereGCN(n_comps, random_state=random_state, n_jobs=n_jobs, **options)
    model.fit(_graph(matrix, use_weights, False))
    adata.obsm[key_added] = model.embedding_
    params = {"n_comps": n_comps, "random_state": random_state, **options}
    adata.uns[key_added] = {"params": params, "ritz_values": model.ritz_values_, "residuals": model.residuals_}
    return adata if copy else None


def _neighbours(adata: Any, neighbors_key: Optional[str], obsp: Optional[str]) -> Any:
    """The matrix that scanpy's functions would take."""
    if obsp is not None and neighbors_key is not None:
        raise ValueError("obsp, neighbors_key: expected one of them")
    if obsp is not None:
        return adata.obsp[obsp]
    key = "neighbors" if neighbors_key is None else neighbors_key
    if key not in adata.uns:
        raise KeyError(f"no {key!r} in .uns: scanpy.pp.neighbors(adata) makes the graph")
    return adata.obsp[adata.uns[key].get("connectivities_key", "connectivities")]


def _graph(matrix: Any, weights: bool, directed: bool) -> Graph:
    """Of a matrix that is not symmetric M + M.T; `directed`: with directions."""
    if not weights:
        matrix = (matrix != 0).astype(np.float32)
    if directed and (matrix != matrix.T).nnz > 0:
        entries = matrix.tocoo()
        return graph_of(np.column_stack([entries.row, entries.col]), entries.data, matrix.shape[0], True)
    return Graph.from_scipy(matrix, self_loops="keep", directed="no")


def _restricted(values: Any, column: str, categories: Sequence[str]) -> np.ndarray:
    for name in categories:
        if name not in values.cat.categories:
            raise ValueError(f"restrict_to: {name!r} is no category of obs[{column!r}]")
    return values.isin(list(categories)).to_numpy()


def _natural(text: str) -> List[Any]:
    """"2" before "10"."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]
