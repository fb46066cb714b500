"""Cafe: graphs and tables into vectors and communities that can be explained and checked.

    >>> import cafe
    >>> model = cafe.LayeredCafe().fit(cafe.karate())
    >>> int(model.communities_.max()) + 1
    4

The same library, options and bits as the command line tool `cafe`; see docs/python.md.
"""
from . import cluster as _cluster, embed as _embed
from ._call import (CafeCancelled, CafeError, CafeExistsError, CafeMemoryError, CafeOSError,
                    CafeValueError, Progress)
from ._library import lib as _lib
from ._sklearn import CafeWarning, ConvergenceWarning
from .cluster import *  # noqa: F403  the estimators, a class for each row of the registry
from .datasets import karate
from .embed import *  # noqa: F403
from .explanation import Explanation, explain
from .graph import Graph, generate
from .node_classifier import NodeClassifier
from .reduce import Reduce
from .view import Page, layout, view
from .placing import place as place

for _public in (CafeCancelled, CafeError, CafeExistsError, CafeMemoryError, CafeOSError,
                CafeValueError, CafeWarning, Progress):
    _public.__module__ = __name__  # as users know them, in messages and pickles

__version__ = _lib.version
__all__ = ["CafeCancelled", "CafeError", "CafeExistsError", "CafeMemoryError", "CafeOSError",
           "CafeValueError", "CafeWarning", "ConvergenceWarning", "Explanation", "Graph",
           "NodeClassifier", "Page", "Progress", "Reduce",
           "explain", "generate", "karate", "layout", "place", "view",
           *_embed.__all__, *_cluster.__all__]
