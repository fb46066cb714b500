#!/usr/bin/env python3
"""Columns of cafe.Reduce beside those of PCA, judged by five nearest neighbours:

    build/python/bin/python bench/reduction.py [SET ...]

Sets of scikit-learn: digits, wine, cancer, iris. A line for each set and number of columns K: the share right, mean of
five folds, for clusters (the default), rows of length 1, and PCA. In brackets the number of columns, if it is not K.
"""
import sys
import warnings

import cafe
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

SETS = {"digits": datasets.load_digits, "wine": datasets.load_wine, "cancer": datasets.load_breast_cancer,
        "iris": datasets.load_iris}


def judged(model, k, table, classes):
    columns = model.fit_transform(table)
    right = cross_val_score(KNeighborsClassifier(5), columns, classes, cv=5).mean()
    return f"{right:.3f}" + (f" ({columns.shape[1]})" if columns.shape[1] != k else "")


def main():
    warnings.simplefilter("ignore", cafe.CafeWarning)
    print("| set | K | clusters | rows of length 1 | PCA |\n|---|---:|---:|---:|---:|")
    for name in sys.argv[1:] or SETS:
        table, classes = SETS[name](return_X_y=True)
        if name != "digits":
            table = StandardScaler().fit_transform(table)
        for k in (1, 2, 3, 8, 16, 32):
            if k <= min(table.shape):
                models = cafe.Reduce(k), cafe.Reduce(k, method="sphere"), PCA(k)
                print(f"| {name} | {k} | {' | '.join(judged(m, k, table, classes) for m in models)} |", flush=True)


main()
