"""Cafe: graphs and tables into vectors and communities that can be explained and checked.

    >>> import cafe
    >>> model = cafe.LayeredCafe().fit(cafe.karate())
    >>> len(model.communities_)
    4

The same library, options and bits as the command line tool `cafe`; see docs/python.md.
"""
from . import cluster as _cluster, embed as _embed
from ._call import (CafeCancelled, CafeError, CafeExistsError, CafeMemoryError, CafeNodeError,
                    CafeNotFoundError, CafeOSError, CafeValueError, Progress)
from ._library import lib as _lib
from ._sklearn import CafeWarning, ConvergenceWarning
from .cluster import *  # noqa: F403  the estimators, a class for each row of the registry
from .bounding import Bounds, bounds
from .certainty import Profile, Trials, resolution_profile, trials
from .datasets import Dataset, football, karate, les_miserables, load, read_labels
from .embed import *  # noqa: F403
from .evaluation import (Comparison, Evaluation, evaluate_classification, evaluate_clustering,
                         evaluate_links)
from .explanation import Explanation, explain
from .export import read_vectors, to_arrow, write_vectors
from .forecast import forecast, forecast_ranks
from .graph import Graph, generate
from .link_predictor import LinkPredictor
from .mapping import Map
from .node_classifier import NodeClassifier
from .overview import Report, report
from .paper import Reproduction, published, reproduce, reproduced
from .plotting import plot
from .ranking import compare_sets, rank
from .recommending import evaluate_recommendation, hide_links, recommend
from .reduce import Reduce
from .similar import SimilarIndex, most_similar
from .sums import Slices, Sum
from .updating import update
from .versions import show_versions
from .view import Page, layout, layout_quality, view
from .placing import place as place

for _public in (CafeCancelled, CafeError, CafeExistsError, CafeMemoryError, CafeNodeError,
                CafeNotFoundError, CafeOSError, CafeValueError, CafeWarning, Progress):
    _public.__module__ = __name__  # as users know them, in messages and pickles

__version__ = _lib.version
__all__ = ["Bounds", "CafeCancelled", "CafeError", "CafeExistsError", "CafeMemoryError",
           "CafeNodeError", "CafeNotFoundError", "CafeOSError", "CafeValueError", "CafeWarning",
           "Comparison", "ConvergenceWarning", "Dataset", "Evaluation", "Explanation", "Graph",
           "LinkPredictor", "Map", "NodeClassifier", "Page", "Profile", "Progress", "Reduce", "Report", "Reproduction", "SimilarIndex", "Slices", "Sum", "Trials", "bounds", "compare_sets", "evaluate_classification",
           "evaluate_clustering", "evaluate_links", "evaluate_recommendation", "explain", "football",
           "forecast", "forecast_ranks", "generate", "hide_links", "karate", "layout", "layout_quality",
           "les_miserables", "load", "most_similar", "place", "plot", "published", "rank", "read_labels",
           "read_vectors", "recommend", "report", "reproduce", "reproduced", "resolution_profile", "show_versions", "to_arrow", "trials", "update", "view", "write_vectors",
           *_embed.__all__, *_cluster.__all__]
