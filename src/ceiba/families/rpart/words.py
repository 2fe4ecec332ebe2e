"""The functions of R's rpart under their names: prune, printcp, predict(type=), residuals, snip ...

Node numbers are R's: the root is 1, the sons of node k are 2k (left, the smaller mean response) and
2k + 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError, TreeError, did_you_mean
from ceiba.families.rpart.complexity import sons_of
from ceiba.listing import Listing
from ceiba.prune import pruning_sequence
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits.sentences import number_text

Array = npt.NDArray[np.float64]
_TYPES: Final = ("vector", "prob", "class", "matrix")
_NOISE: Final = 1e-12


def node_numbers(tree: Tree) -> npt.NDArray[Any]:
    """Return R's number of each node: root 1, the sons of k are 2k and 2k + 1.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.families.rpart.words import node_numbers
    >>> tree = ceiba.rpart(minsplit=2, minbucket=1, xval=0).fit([[1], [2], [3]], list("baa")).tree_
    >>> node_numbers(tree).tolist()
    [1, 3, 2]
    """
    number = [1] * tree.n_nodes
    for node, sons in enumerate(sons_of(tree)):
        if sons is not None:
            number[sons[0]], number[sons[1]] = 2 * number[node], 2 * number[node] + 1
    deep = tree.depth >= 62  # beyond int64
    return np.array(number, dtype=object if deep else np.int64)


class RpartWords:
    """Methods that carry the names of R's functions; mixed into rpart's estimators."""

    _to_reprune: ClassVar[str] = (
        "Choose a size in cp_table_ and give its cp: reprune(cp=...). A larger tree needs a fit "
        "with a smaller cp."
    )

    if TYPE_CHECKING:
        method: str
        tree_: Tree
        cp_table_: Listing
        _last_cp: float
        _cv_risk: Array | None
        _cv_se: Array | None

        def _fitted(self) -> Tree: ...
        def _rows(self, X: Any, check_input: bool = True) -> Any: ...
        def _with_tree(self, tree: Tree, *, pruning: bool = False) -> Self: ...
        def _call(self) -> str: ...

    @property
    def node_numbers_(self) -> npt.NDArray[Any]:
        """R's number of each node of `tree_`."""
        return node_numbers(self._fitted())

    def prune(self, cp: float) -> Self:
        """Give the model that R's `prune(fit, cp=)` gives.

        Parameters
        ----------
        cp : float

        Returns
        -------
        new fitted estimator

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> model = ceiba.rpart("class").fit(*load_iris(return_X_y=True, as_frame=True))
        >>> model.prune(cp=0.45).cp_table_["n_splits"].tolist()
        [0, 1]
        """
        if isinstance(cp, bool) or not isinstance(cp, int | float) or not cp >= 0:
            raise OptionError(f"cp must be a number of at least 0. Got {cp!r}.")
        tree = self._fitted()
        sequence = pruning_sequence(tree, count_stayed=False)
        whole = sequence.root_risk or 1.0
        limit = cp * whole * (1 + _NOISE)
        smaller = tree.collapse(np.flatnonzero(sequence.node_alpha <= limit))
        model = self._with_tree(smaller)
        model._last_cp = max(float(cp), self._last_cp)
        rows = len(pruning_sequence(smaller, count_stayed=False))
        for name in ("_cv_risk", "_cv_se"):
            kept = getattr(self, name)
            setattr(model, name, None if kept is None else kept[:rows])
        return model

    def snip(self, nodes: int | Iterable[int]) -> Self:
        """Make leaves of nodes, by R's numbers (R: `snip.rpart(fit, toss=)`).

        Parameters
        ----------
        nodes : int or iterable of int

        Returns
        -------
        new fitted estimator
        """
        smaller = self._fitted().collapse([self._at(one) for one in _listed(nodes)])
        model = self._with_tree(smaller)
        model._cv_risk = model._cv_se = None
        return model

    def _at(self, number: int) -> int:
        numbers = self.node_numbers_.tolist()
        if number not in numbers:
            raise TreeError(
                f"There is no node {number}. R's numbers of this tree: "
                f"{', '.join(map(str, sorted(numbers)))}."
            )
        return int(numbers.index(number))

    def path(self, nodes: int | Iterable[int]) -> dict[int, list[str]]:
        """Give the way to nodes, by R's numbers (R: `path.rpart`).

        Parameters
        ----------
        nodes : int or iterable of int

        Returns
        -------
        dict of number to list of str

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> model = ceiba.rpart("class", xval=0).fit(*load_iris(return_X_y=True, as_frame=True))
        >>> model.path(2)
        {2: ['root', 'petal length (cm) <= 2.45']}
        """
        tree = self._fitted()
        return {
            number: ["root", *tree.node(self._at(number)).path.sentences()]
            for number in _listed(nodes)
        }

    def predict(self, X: Any, check_input: bool = True, *, type: str | None = None) -> Any:  # noqa: A002
        """Predict rows; with R's `type` in the form that R gives.

        Parameters
        ----------
        X : table
        check_input : bool, default=True
        type : {"vector", "prob", "class", "matrix"}, optional
            "vector": the number of the class from 1, the mean, or the rate. "prob": class
            probabilities. "class": the label. "matrix": class number, counts, probabilities and
            the share of the node; the mean; or rate and events. None: the label or the number.

        Returns
        -------
        ndarray
        """
        tree = self._fitted()
        table = self._rows(X, check_input)
        if type is None:
            return route.predict(tree, table)
        if type not in _TYPES:
            raise OptionError(
                f"type={type!r}. Allowed are {', '.join(_TYPES)}.{did_you_mean(type, _TYPES)}"
            )
        classes = tree.task == "classification"
        if type in ("prob", "class") and not classes:
            raise OptionError(f"type={type!r} is for method='class'; this is {self.method!r}.")
        if type == "class":
            return route.predict(tree, table)
        if type == "prob":
            return route.predict_proba(tree, table)
        end = route.apply(tree, table)
        if classes:
            number = tree.answer + 1.0
            if type == "vector":
                return number[end]
            assert tree.counts is not None
            parts = [number[:, None], tree.counts[:, 0], tree.value[:, 0], tree.share[:, None]]
            return np.concatenate(parts, axis=1)[end]
        value = tree.value[:, 0, 0]
        if type == "vector" or tree.criterion != "poisson":
            return value[end]
        from ceiba.families.rpart.summary import node_events

        return np.stack([value, node_events(tree, float(getattr(self, "shrink", 0.0)))], axis=1)[
            end
        ]

    def residuals(
        self,
        X: Any,
        y: Any,
        *,
        type: Literal["usual", "pearson", "deviance"] = "usual",  # noqa: A002
    ) -> Array:
        """Give the residuals of rows (R: `residuals(fit, type=)`).

        Parameters
        ----------
        X, y
            Rows and their truth.
        type : {"usual", "pearson", "deviance"}, default="usual"
            anova: truth minus mean, in all three. class: "usual": the loss of the answer,
            "pearson": (1 - p) / p, "deviance": -2 log p, p of the true class, as in R.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        tree = self._fitted()
        if type not in ("usual", "pearson", "deviance"):
            raise OptionError(f"type={type!r}. Allowed are usual, pearson and deviance.")
        if self.method not in ("class", "anova"):
            raise OptionError(f"residuals are given for 'class' and 'anova', not {self.method!r}.")
        truth: Any = self._truth(y, len(np.asarray(y)))[:, 0]  # type: ignore[attr-defined]
        table = self._rows(X)
        if tree.task == "regression":
            return np.asarray(truth - route.predict(tree, table))
        labels = tree.target.classes[0].tolist()
        code = np.array([labels.index(one) for one in truth.tolist()])
        if type == "usual":
            costs = 1.0 - np.eye(len(labels)) if tree.cost_matrix is None else tree.cost_matrix
            return np.asarray(costs[code, tree.answer[route.apply(tree, table)]])
        p = route.predict_proba(tree, table)[np.arange(len(code)), code]  # type: ignore[call-overload]
        p = np.maximum(p, np.finfo(np.float64).tiny)
        if type == "pearson":
            return np.asarray((1 - p) / p)
        return np.asarray(-2 * np.log(p)) + 0.0  # no -0.0

    def rsq(self) -> Listing:
        """List R-square of the nested trees, apparent and cross-validated (R: `rsq.rpart`).

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.rpart("anova", xval=0).fit({"x": range(40)}, [i // 20 for i in range(40)])
        >>> model.rsq()["apparent"].tolist()
        [0.0, 1.0]
        """
        table = self.cp_table_
        figures = {"n_splits": table["n_splits"], "apparent": 1 - table["relative_risk"]}
        if "relative_cv_risk" in table:
            figures["x relative"] = 1 - table["relative_cv_risk"]
        legend = "apparent: 1 - relative_risk; x relative: 1 - relative_cv_risk, on held-out rows"
        return Listing(figures, title="R-square", legend=legend)

    def printcp(self, digits: int = 5) -> None:
        """Print the table of nested trees as R's `printcp` does.

        Parameters
        ----------
        digits : int, default=5
            Significant digits.
        """
        print(self._printcp(digits))

    def _printcp(self, digits: int) -> str:
        tree = self._fitted()
        kind = {"class": "Classification", "anova": "Regression", "poisson": "Rates regression",
                "exp": "Survival regression"}[self.method]  # fmt: skip
        used = sorted({tree.schema.names[j] for j in tree.splits.column[~tree.is_leaf].tolist()})
        n, risk = int(tree.n_rows[0]), float(tree.risk[0]) * float(tree.weight[0])
        whole = f"{risk:.{digits}g}/{n} = {risk / n:.{digits}g}"
        table = self.cp_table_
        names = {"cp": "CP", "n_splits": "nsplit", "relative_risk": "rel error",
                 "relative_cv_risk": "xerror", "relative_cv_se": "xstd"}  # fmt: skip
        shown = [name for name in names if name in table]
        cells = [[names[name]] + [
            str(int(v)) if name == "n_splits" else f"{v:.{digits}g}" for v in table[name].tolist()
        ] for name in shown]  # fmt: skip
        index = ["", *(str(i) for i in range(1, len(table) + 1))]
        widths = [max(map(len, column)) for column in (index, *cells)]
        lines = [
            " ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in zip(index, *cells, strict=True)
        ]
        return "\n".join([
            f"{kind} tree:", self._call(), "",
            "Variables actually used in tree construction:",
            " ".join(used) if used else "none", "",
            f"Root node error: {whole}", "", f"n= {n}", "", *lines,
        ])  # fmt: skip

    def to_r(self, digits: int = 5) -> str:
        """Write the tree as R prints it: R's node numbers, a star at leaves.

        Parameters
        ----------
        digits : int, default=5

        Returns
        -------
        str

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> print(ceiba.rpart("class", xval=0).fit(X, y).to_r())
        n= 150
        node), split, n, loss, yval, (yprob)
              * denotes terminal node
        1) root 150 100 0 (0.33333 0.33333 0.33333)
          2) petal length (cm) <= 2.45 50 0 0 (1 0 0) *
          3) petal length (cm) > 2.45 100 50 1 (0 0.5 0.5)
            6) petal width (cm) <= 1.75 54 5 1 (0 0.90741 0.092593) *
            7) petal width (cm) > 1.75 46 1 2 (0 0.021739 0.97826) *
        """
        tree = self._fitted()
        classes = tree.task == "classification"
        numbers, sons = self.node_numbers_.tolist(), sons_of(tree)
        last = "loss, yval, (yprob)" if classes else "deviance, yval"
        lines = [f"n= {int(tree.n_rows[0])}", f"node), split, n, {last}",
                 "      * denotes terminal node"]  # fmt: skip
        waiting = [0]
        while waiting:
            node = waiting.pop()
            lines.append(self._r_line(tree, node, numbers[node], digits))
            pair = sons[node]
            if pair is not None:
                waiting += [pair[1], pair[0]]
        return "\n".join(lines)

    def _r_line(self, tree: Tree, node: int, number: int, digits: int) -> str:
        def figure(value: float) -> str:
            return number_text(float(f"{value:.{digits}g}"), 12)

        place = "root"
        if node:
            parent, branch = int(tree.parent[node]), int(tree.branch_index[node])
            place = tree.node(parent).sentence(branch)
        factor = 2.0 if tree.criterion == "poisson" else 1.0
        risk = figure(float(tree.risk[node]) * float(tree.weight[0]) * factor)
        parts = [place, str(int(tree.n_rows[node])), risk, _yval(tree, node, figure)]
        star = " *" if tree.is_leaf[node] else ""
        depth = "  " * int(tree.node_depth[node])
        return f"{depth}{number}) {' '.join(parts)}{star}"


def _yval(tree: Tree, node: int, figure: Any) -> str:
    if tree.task == "regression":
        return str(figure(float(tree.value[node, 0, 0])))
    shares = " ".join(figure(p) for p in tree.value[node, 0].tolist())
    return f"{tree.node(node).label} ({shares})"


def _listed(nodes: int | Iterable[int]) -> list[int]:
    return [int(nodes)] if isinstance(nodes, int | np.integer) else [int(one) for one in nodes]
