"""Graphs that several tests share."""
import networkx
import numpy as np
import pytest

import cafe

if not hasattr(networkx, "to_scipy_sparse_array"):  # before 2.7, which old systems have
    networkx.to_scipy_sparse_array = networkx.to_scipy_sparse_matrix
    networkx.from_scipy_sparse_array = networkx.from_scipy_sparse_matrix
    networkx.utils.graphs_equal = lambda a, b: a.adj == b.adj and a.nodes == b.nodes and a.graph == b.graph


@pytest.fixture(scope="package")
def karate():
    return cafe.karate()


@pytest.fixture(scope="package")
def faction():
    return cafe.karate(return_labels=True)[1]


@pytest.fixture(scope="package")
def planted():
    """A graph of 2,000 nodes with known blocks."""
    return cafe.generate("planted", nodes=2000, edges=12000, blocks=10, mixing=0.2, random_state=3)


@pytest.fixture
def rng():
    return np.random.default_rng(5)
