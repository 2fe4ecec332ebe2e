"""Methods that correspond to the functions of R's rpart: prune, printcp, residuals, snip, ...

Node numbers are R's: the root is 1, the children of node k are 2k (left, the smaller mean response)
and 2k + 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError, TreeError, did_you_mean
from ceiba.families.rpart.complexity import node_numbers
from ceiba.families.rpart.fit import RpartFit
from ceiba.listing import Listing
from ceiba.prune import pruning_sequence
from ceiba.table import Kind
from ceiba.table.targets import find_present_rows, take_rows
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import level_text

Array = npt.NDArray[np.float64]
_TYPES: Final = ("vector", "prob", "class", "matrix")
_NOISE: Final = 1e-12


class RMethods(RpartFit):
    """Base class of the rpart estimators with the methods named after R's functions."""

    _reprune_hint: ClassVar[str] = (
        "Pass a cp from cp_table_, as in reprune(cp=...). For a larger tree, fit again with a "
        "smaller cp."
    )

    @property
    def node_numbers_(self) -> npt.NDArray[Any]:
        """Node numbers of R: the children of node k have the numbers 2k and 2k + 1."""
        return node_numbers(self._tree, self.__dict__.get("_training", {}).get("swapped", ()))

    def prune(self, cp: float) -> Self:
        """Return the model pruned at `cp`, as R's `prune(fit, cp=)` does.

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
            raise OptionError(f"cp must be a non-negative number, got {cp!r}.")
        tree = self._tree
        sequence = pruning_sequence(tree, count_stayed=False)
        total = sequence.root_risk or 1.0
        limit = cp * total * (1 + _NOISE)
        smaller = tree.collapse(np.flatnonzero(sequence.node_alpha <= limit))
        model = self._with_tree(smaller)
        model._last_cp = max(float(cp), self._last_cp)
        rows = len(pruning_sequence(smaller, count_stayed=False))
        for name in ("_cv_risk", "_cv_se"):
            figures = getattr(self, name)
            setattr(model, name, None if figures is None else figures[:rows])
        return model

    def snip(self, nodes: int | Iterable[int]) -> Self:
        """Return the model with the given nodes (R's numbers) collapsed, as R's `snip.rpart` does.

        Parameters
        ----------
        nodes : int or iterable of int

        Returns
        -------
        new fitted estimator
        """
        model = self._with_tree(self._tree.collapse(list(self._node_ids(nodes).values())))
        model._cv_risk = model._cv_se = None
        return model

    def _node_ids(self, nodes: int | Iterable[int]) -> dict[int, int]:
        """Return a dict that maps R's node numbers to node ids."""
        id_of = {number: i for i, number in enumerate(self.node_numbers_.tolist())}
        numbers = [int(nodes)] if isinstance(nodes, int | np.integer) else list(map(int, nodes))
        for number in numbers:
            if number not in id_of:
                raise TreeError(
                    f"Node {number} not found. R's node numbers in this tree: "
                    f"{', '.join(map(str, sorted(id_of)))}."
                )
        return {number: id_of[number] for number in numbers}

    def path(self, nodes: int | Iterable[int]) -> dict[int, list[str]]:  # type: ignore[override]
        """Return the splits on the paths to nodes, as R's `path.rpart` does.

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
        {2: ['root', 'petal length (cm) < 2.45']}
        """
        return {
            number: ["root", *self._tree.node(i).path.sentences()]
            for number, i in self._node_ids(nodes).items()
        }

    def predict(self, X: Any, check_input: bool = True, *, type: str | None = None) -> Any:  # noqa: A002
        """Predict rows; `type` selects what to return, as in R's `predict`.

        Parameters
        ----------
        X : table
        check_input : bool, default=True
        type : {"vector", "prob", "class", "matrix"}, optional
            "vector": the class number from 1, the mean or the rate. "prob": class probabilities.
            "class": the label. "matrix": number, counts, probabilities and share of the node for
            classes, mean for "anova", otherwise rate and events. None: the label, mean or rate.

        Returns
        -------
        ndarray
        """
        tree = self._tree
        table = self._read_rows(X, check_input)
        if type is None or (type == "class" and tree.task.has_classes):
            return route.predict(tree, table)
        if type not in _TYPES:
            raise OptionError(
                f"type must be one of {', '.join(map(repr, _TYPES))}, got {type!r}."
                f"{did_you_mean(type, _TYPES)}"
            )
        classes = tree.task.is_classification("rpart")
        if type in ("prob", "class") and not classes:
            raise OptionError(f"type={type!r} is not supported with method={self.method!r}.")
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

        events = node_events(tree, float(getattr(self, "shrink", 0.0)))
        return np.stack([value, events], axis=1)[end]

    def residuals(
        self,
        X: Any,
        y: Any = None,
        *,
        type: Literal["usual", "pearson", "deviance"] = "usual",  # noqa: A002
    ) -> Array:
        """Return the residuals of rows (R: `residuals(fit, type=)`).

        Parameters
        ----------
        X : table
        y : array-like or str, optional
            True target, or its column in X. Default after fitting a formula: its left side.
        type : {"usual", "pearson", "deviance"}, default="usual"
            anova: truth minus mean, for all three. class: "usual": the loss of the prediction,
            "pearson": (1 - p) / p, "deviance": -2 log p, with p of the true class, as in R.

        Returns
        -------
        ndarray of shape (n_rows,)
            NaN where the truth is missing.
        """
        tree = self._tree
        if type not in ("usual", "pearson", "deviance"):
            raise OptionError(f"type must be 'usual', 'pearson' or 'deviance', got {type!r}.")
        if self.method not in ("class", "anova"):
            raise OptionError(f"residuals requires method 'class' or 'anova', got {self.method!r}.")
        y = self._read_truth(X, y)
        mask = find_present_rows(y)
        truth: Any = self._truth(y if mask.all() else take_rows(y, mask), int(mask.sum()))[:, 0]
        table, residual = self._read_rows(X), np.full(len(mask), np.nan)
        if tree.task.is_regression("rpart"):
            residual[mask] = truth - route.predict(tree, table)[mask]
            return residual
        labels = tree.target.classes[0].tolist()
        unknown = sorted(set(map(str, truth.tolist())) - set(map(str, labels)))
        if unknown:
            raise DataError(
                f"y contains classes that were not seen in fit: {', '.join(map(repr, unknown))}. "
                f"Classes: {', '.join(map(repr, labels))}."
            )
        code = np.array([labels.index(label) for label in truth.tolist()])
        if type == "usual":
            costs = 1.0 - np.eye(len(labels)) if tree.cost_matrix is None else tree.cost_matrix
            residual[mask] = costs[code, tree.answer[route.apply(tree, table)[mask]]]
            return residual
        p = np.asarray(route.predict_proba(tree, table))[mask, code]
        p = np.maximum(p, np.finfo(np.float64).tiny)
        residual[mask] = (1 - p) / p if type == "pearson" else -2 * np.log(p) + 0.0  # avoids -0.0
        return residual

    def rsq(self) -> Listing:
        """Return the apparent and cross-validated R-square of the nested trees (R: `rsq.rpart`).

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
        """Print the table of nested trees like R's `printcp`.

        Parameters
        ----------
        digits : int, default=5
            Significant digits.
        """
        tree = self._tree
        kind = {"class": "Classification", "anova": "Regression", "poisson": "Rates regression",
                "exp": "Survival regression"}[self.method]  # fmt: skip
        used = sorted({tree.schema.names[j] for j in tree.splits.column[~tree.is_leaf].tolist()})
        n, risk = int(tree.n_rows[0]), float(node_deviance(tree)[0])
        error = " = ".join([f"{format_r([risk], digits)[0]}/{n}", *format_r([risk / n], digits)])
        table = self.cp_table_
        names = {"cp": "CP", "n_splits": "nsplit", "relative_risk": "rel error",
                 "relative_cv_risk": "xerror", "relative_cv_se": "xstd"}  # fmt: skip
        cells = [
            [title, *format_r(table[name].tolist(), digits)]
            for name, title in names.items()
            if name in table
        ]
        index = ["", *(str(i) for i in range(1, len(table) + 1))]
        widths = [max(map(len, column)) for column in (index, *cells)]
        lines = [
            " ".join([first.ljust(widths[0]), *map(str.rjust, line, widths[1:])])
            for first, *line in zip(index, *cells, strict=True)
        ]
        print(
            f"{kind} tree:", self._call_text(), "",
            "Variables actually used in tree construction:",
            " ".join(used) if used else "none", "",
            f"Root node error: {error}", "", self._row_count_text(), "", *lines, sep="\n",
        )  # fmt: skip

    def _row_count_text(self) -> str:
        n, n_dropped = int(self._tree.n_rows[0]), self.n_rows_dropped_
        noun = "observation" if n_dropped == 1 else "observations"
        return f"n={n} ({n_dropped} {noun} deleted due to missingness)" if n_dropped else f"n= {n}"

    def to_r(self, digits: int = 7) -> str:
        """Return the tree in R's format, with R's node numbers and a star at leaves.

        Parameters
        ----------
        digits : int, default=7
            Significant digits.

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
        <BLANKLINE>
        node), split, n, loss, yval, (yprob)
              * denotes terminal node
        <BLANKLINE>
        1) root 150 100 0 (0.33333333 0.33333333 0.33333333)
          2) petal length (cm)< 2.45 50   0 0 (1.00000000 0.00000000 0.00000000) *
          3) petal length (cm)>=2.45 100  50 1 (0.00000000 0.50000000 0.50000000)
            6) petal width (cm)< 1.75 54   5 1 (0.00000000 0.90740741 0.09259259) *
            7) petal width (cm)>=1.75 46   1 2 (0.00000000 0.02173913 0.97826087) *
        """
        tree = self._tree
        numbers = self.node_numbers_.tolist()
        last = "deviance, yval" if tree.counts is None else "loss, yval, (yprob)"
        head = f"node), split, n, {last}\n      * denotes terminal node"
        lines = [self._row_count_text(), "", head, ""]
        width = len(str(max(numbers)))
        deviance, yval = _signif(node_deviance(tree), digits), _yvals(tree, digits)
        waiting = [0]
        while waiting:
            node = waiting.pop()
            indent = "  " * int(tree.node_depth[node])
            fields = [f"{indent}{numbers[node]:>{width}})", _split_label(tree, node, digits)]
            figures = [str(int(tree.n_rows[node])), deviance[node], yval[node]]
            lines.append(" ".join([*fields, *figures, *("*" if tree.is_leaf[node] else "")]))
            below = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]].tolist()
            waiting += sorted(below, key=numbers.__getitem__, reverse=True)
        return "\n".join(lines)


def node_deviance(tree: Tree) -> Array:
    """Return R's `dev` of each node, which is its total risk or deviance."""
    factor = 2.0 if tree.criterion == "poisson" else 1.0
    return np.asarray(tree.risk * float(tree.weight[0]) * factor)


def _split_label(tree: Tree, node: int, digits: int) -> str:
    """Return the split above a node in R's notation: `Start>=8.5`, `Type=Small,Van`."""
    if node == 0:
        return "root"
    parent, branch = int(tree.parent[node]), int(tree.branch_index[node])
    table, info = tree.splits, tree.schema.columns[int(tree.splits.column[parent])]
    first, last = table.level_start[parent : parent + 2].tolist()
    codes = table.level_code[first:last][table.level_branch[first:last] == branch].tolist()
    if first == last:  # the split is a cut
        low = branch == int(table.low_branch[parent])
        if info.kind is not Kind.ORDERED:
            # In R, values equal to the cut take the upper branch. Adding 0.0 turns -0.0 into 0.0.
            cut = np.nextafter(table.cut[parent], np.inf) + 0.0
            return f"{info.name}{'< ' if low else '>='}{cut:.{digits}g}"
        levels = range(len(info.levels))
        codes = [code for code in levels if (code <= float(table.cut[parent])) == low]
    return f"{info.name}={','.join(level_text(info.levels[code]) for code in sorted(codes))}"


def _yvals(tree: Tree, digits: int) -> list[str]:
    """Return the predictions of the nodes as text, aligned in columns as in R."""
    if tree.counts is None:
        return _signif(tree.value[:, 0, 0], digits)
    n_classes = tree.value.shape[2]
    shares = tree.value[:, 0].ravel().tolist()
    if n_classes < 5:
        cells = format_r(shares, digits, least=digits)
    else:
        cells = [f"{share:.2g}" for share in shares]
    labels = [level_text(tree.target.classes[0][code]) for code in tree.answer.tolist()]
    return [
        f"{label} ({' '.join(cells[i * n_classes : (i + 1) * n_classes])})"
        for i, label in enumerate(labels)
    ]


def _signif(values: Array, digits: int) -> list[str]:
    return format_r([float(f"{value:.{digits}g}") for value in values.tolist()], digits)


def format_r(values: Sequence[float], digits: int, least: int = 0) -> list[str]:
    """Format a column of numbers like R's `format`."""
    # All numbers get the same number of decimals: enough for `digits` significant digits of each,
    # without trailing zeros, and at least `least`. Use exponents if they make the text shorter.
    parts = [f"{abs(value):.{digits - 1}e}".split("e") for value in values]
    significant = [max(1, len(mantissa.replace(".", "").rstrip("0"))) for mantissa, _ in parts]
    power = [int(exponent) for _, exponent in parts]
    decimals = max(0, *(s - p - 1 for s, p in zip(significant, power, strict=True)))
    left = max((value < 0) + max(p + 1, 1) for value, p in zip(values, power, strict=True))
    after = max(significant) - 1
    exponent = 5 + (max(map(abs, power)) >= 100)
    scientific = (min(values) < 0) + (after + 1 if after else 0) + exponent
    if left + decimals + (decimals > 0) <= scientific:
        texts = [f"{value:.{max(decimals, least)}f}" for value in values]
    else:
        texts = [f"{value:.{after}e}" for value in values]
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts]
