"""Memberships as probabilities: a power and a share of the classes' frequencies, chosen by folds.

Memberships F order the classes of a node well, but they are no probabilities: those of CAFE-GCN are
nearly 0 or 1 whether they are right or not. With power b and share l,

    p(c|u) = (1 - l) F(u,c)^b / sum_d F(u,d)^b + l t(c|u)

where t are the frequencies of the classes and the most likely class of u is raised to the most
frequent one. The order at the top stays, so predict() does not change. b and l minimise the log
loss of training nodes whose labels a run was not given.
"""
from typing import Callable, NamedTuple, Tuple

import numpy as np

FOLDS = 5
POWERS = 2.0 ** np.arange(-7, 3.5, 0.5)
SHARES = np.concatenate([2.0 ** -np.arange(10, 0, -1), [0.7, 0.9, 0.99]])


class Calibration(NamedTuple):
    """What makes probabilities of memberships."""

    power: float
    share: float
    frequencies: np.ndarray  # of the classes among the labels that were given
    held_out: int  # labels that the power and the share were chosen by

    def apply(self, rows: np.ndarray) -> np.ndarray:
        """Rows that sum to 1; the frequencies where no label came."""
        return (1 - self.share) * _powered(rows, self.power) + \
            (self.share + (1 - self.share) * ~rows.any(axis=1, keepdims=True)) * \
            _targets(rows, self.frequencies)


def calibrated(label: np.ndarray, classes: int,
               rows_without: Callable[[np.ndarray], np.ndarray]) -> Calibration:
    """From labels (-1: unknown) and a run that is given only some of them."""
    known = np.flatnonzero(label >= 0)
    numbers = label[known]
    frequencies = np.bincount(numbers, minlength=classes) / len(numbers)
    fold = _folds(numbers, classes)
    held, right = [], []
    for i in range(FOLDS):
        hidden = known[fold == i]
        if len(hidden):
            some = label.copy()
            some[hidden] = -1
            held.append(rows_without(some)[hidden])
            right.append(label[hidden])
    count = sum(map(len, right))
    # h right ones of h prove no more than an error of 1 in h + 2
    shares = np.unique(np.maximum(SHARES, 1 / (count + 2)))
    if count == 0:
        return Calibration(1.0, float(shares[0]), frequencies, 0)
    rows, truth = np.concatenate(held), np.concatenate(right)
    power, share = _best(rows, truth, frequencies, shares)
    return Calibration(power, share, frequencies, count)


def _folds(numbers: np.ndarray, classes: int) -> np.ndarray:
    """Each class dealt out in its order; -1, never held out: the only one of its class."""
    order = np.argsort(numbers, kind="stable")
    count = np.bincount(numbers, minlength=classes)
    place = np.empty(len(numbers), np.int64)
    place[order] = np.arange(len(numbers)) - (np.cumsum(count) - count)[numbers[order]]
    return np.where(count[numbers] > 1, place % FOLDS, -1)


def _best(rows: np.ndarray, truth: np.ndarray, frequencies: np.ndarray, shares: np.ndarray) -> Tuple[float, float]:
    """The power and the share of least log loss."""
    at = np.arange(len(truth))
    target = _targets(rows, frequencies)[at, truth]
    reached = rows.any(axis=1)
    found = []
    for power in POWERS:
        own = _powered(rows, power)[at, truth]
        for share in shares:
            p = np.where(reached, (1 - share) * own + share * target, target)
            found.append((float(-np.log(p).mean()), float(power), float(share)))
    return min(found)[1:]


def _powered(rows: np.ndarray, power: float) -> np.ndarray:
    """F^b / sum F^b; 0 where F is."""
    top = rows.max(axis=1, keepdims=True)
    raised = (rows / np.where(top > 0, top, 1)) ** power
    total = raised.sum(axis=1, keepdims=True)
    return raised / np.where(total > 0, total, 1)


def _targets(rows: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """The frequencies, the most likely class of each row raised to the largest of them."""
    found = np.tile(frequencies, (len(rows), 1))
    reached = np.flatnonzero(rows.any(axis=1))
    found[reached, rows[reached].argmax(axis=1)] = frequencies.max()
    return found / found.sum(axis=1, keepdims=True)
