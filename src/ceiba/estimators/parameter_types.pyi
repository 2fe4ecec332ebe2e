"""Parameters by name, for type checkers and editors; written by `make stubs`."""

from typing import Any, TypedDict

class RegressorParameters(TypedDict, total=False):
    criterion: Any
    splitter: str
    max_depth: int | None
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    max_features: int | float | str | None
    random_state: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    ccp_alpha: float
    monotonic_cst: Any
    max_bins: int | None
    min_significance: Any
    interaction_cst: Any
    n_jobs: int | None
    missing: Any
    unseen: str
    categorical_splits: Any
    max_competitors: int
    column_cost: Any
    search: Any
    forced_splits: Any
    categorical_features: Any
    prune: Any
    leaf_values: Any
    leaf_quantiles: Any

class ClassifierParameters(RegressorParameters, total=False):
    class_weight: Any
    class_prior: Any
    cost_matrix: Any

class SurvivalParameters(TypedDict, total=False):
    criterion: str
    splitter: str
    max_depth: int | None
    min_samples_split: int | float
    min_samples_leaf: int | float
    max_features: int | float | str | None
    random_state: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    ccp_alpha: float
    monotonic_cst: Any
    min_events_leaf: int
    min_significance: Any
    interaction_cst: Any
    n_jobs: int | None
    missing: Any
    unseen: str
    categorical_splits: Any
    max_competitors: int
    column_cost: Any
    forced_splits: Any
    categorical_features: Any
    prune: Any
    leaf_values: Any
