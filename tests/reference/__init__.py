"""A small, slow, obviously right decision tree in plain Python: the truth the fast core is held
against.

Every number is exact (`int`, `Fraction`) where the criterion is rational, and a 60-digit `Decimal`
where it holds a logarithm; every candidate split is tried; nothing is incremental. The order of
reading:

    exact         exact numbers and their logarithms
    data          columns, targets and weights of a small table
    distribution  weighted distribution of the target in a set of rows
    criteria      impurity of a distribution, gain of a partition
    splits        all candidate splits of a column, in tie order
    search        the best split of a node by trying them all
    grow          a whole tree
    audit         holds somebody else's tree against the search, node by node
    pruning       T(alpha) by enumerating every pruned subtree
    surrogates, routing, rpart   rpart's rules: surrogates, missing values, cp
"""
