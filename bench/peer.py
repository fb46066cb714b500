"""One library beside Cafe, in a process of its own, so that time and memory are its own:

    python3 bench/peer.py NAME EDGES.txt OUT THREADS COLUMNS

reads a list of integer ids from 0, writes 'node community' lines or an .npy array, and prints
'solve SECONDS' of the method alone. Only what NAME needs is imported.
"""
import os
import random
import sys
import time


def igraph_of(path):
    import igraph
    return igraph.Graph.Read_Edgelist(path, directed=False)


def louvain(graph):
    return graph.community_multilevel().membership


def leiden(graph, iterations=10):
    """n_iterations = -1 of igraph 0.10.2 stops after the first one, which gains less."""
    return graph.community_leiden(objective_function="modularity", n_iterations=iterations).membership


def leidenalg(graph):
    import leidenalg as package
    return package.find_partition(graph, package.ModularityVertexPartition, n_iterations=2,
                                  seed=1).membership


def networkit_of(path):
    import networkit
    networkit.setNumberOfThreads(int(os.environ["OMP_NUM_THREADS"]))
    return networkit.readGraph(path, networkit.Format.EdgeListSpaceZero)


def networkit_plm(graph):
    from networkit import community
    return community.PLM(graph, refine=True).run().getPartition().getVector()


def networkit_leiden(graph):
    from networkit import community
    return community.ParallelLeiden(graph).run().getPartition().getVector()


def matrix_of(path):
    """D^-1/2 A D^-1/2, sparse."""
    import numpy as np
    from scipy import sparse
    links = np.fromfile(path, dtype=np.int32, sep=" ").reshape(-1, 2)
    n = int(links.max()) + 1
    half = sparse.csr_matrix((np.ones(len(links), np.float32), links.T), shape=(n, n))
    whole = half + half.T
    scale = sparse.diags((1 / np.sqrt(np.maximum(whole.sum(1).A1, 1))).astype(np.float32))
    return (scale @ whole @ scale).tocsr()


def sklearn_svd(matrix, columns):
    """Rows of the leading singular vectors, scaled to length 1 (a spectral embedding)."""
    import numpy as np
    from sklearn.utils.extmath import randomized_svd
    vectors = randomized_svd(matrix, columns, n_iter=4, random_state=1)[0]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


# name: (reader, method, whether it makes vectors)
METHODS = {
    "igraph-louvain": (igraph_of, louvain, False),
    "igraph-leiden": (igraph_of, leiden, False),
    "leidenalg": (igraph_of, leidenalg, False),
    "networkit-plm": (networkit_of, networkit_plm, False),
    "networkit-leiden": (networkit_of, networkit_leiden, False),
    "sklearn-svd": (matrix_of, sklearn_svd, True),
}


def main():
    name, path, out, _, columns = sys.argv[1:]
    reader, method, vectors = METHODS[name]
    data = reader(path)
    random.seed(1)
    began = time.perf_counter()
    found = method(data, int(columns)) if vectors else method(data)
    print(f"solve {time.perf_counter() - began:.3f}")
    if vectors:
        import numpy as np
        np.save(out, found.astype(np.float32))
        return
    with open(out, "w", encoding="ascii") as file:
        file.writelines(f"{node} {community}\n" for node, community in enumerate(found))


if __name__ == "__main__":
    main()
