"""The routes of the studio: what the page asks, and what it gets.

Every request carries the token of the address (`/?token=T`): as the header `X-Ceiba-Token: T`, or
as `?token=T` where no header can be set (the page itself, downloads, the websocket). All bodies are
JSON objects. An answer that is no success is `{"error": {"code": C, "text": T}}`: 400 malformed
or refused by the library (`code` is the class of the error, `text` can be shown as it is), 403 no
token or a foreign origin, 404 no such node, column, snapshot or route, 409 stale (see below), 413
too large. Numbers that JSON cannot express (NaN, infinities) are null.

Nodes are numbers of the tree in the state. A request about a node may carry `revision` (query, or
field of the body): if the tree has changed since, the answer is 409 and the page reads the state.

GET /?token=T
    The page (HTML with a strict content security policy; scripts and styles inline, by hash).

GET /api/state  ->
    {"revision": 12,
     "source": {"name": "titanic.csv", "n_rows": 891, "remarks": ["..."], "folder": "data"},
     "lang": "en",
     "resumed": null | {"actions": 14, "saved": "2026-11-16T07:30:00+00:00"},
     "setup": {"target": "Survived" | null, "task": "classification" | "regression" | null,
               "weight": null | "w",
               "held_out": null | {"share": 0.3, "seed": 0} | {"file": "t.csv"},
               "n_train": 624, "n_held_out": 267, "n_without_target": 0,
               "options": {"criterion": "gini", "max_depth": null, ...},
               "allowed": {"criterion": ["gini", "entropy", ...]},
               "class_prior": null | {"0": 0.6, "1": 0.4}, "cost_matrix": null | [[0, 1], [5, 0]],
               "classes": ["0", "1"],
               "columns": [{"name": "Age", "role": "use" | "ignore" | "weight" | "target",
                            "kind": "number" | "category" | "ordered" | "date" | "identifier",
                            "kinds": ["number", "category", "ordered"],   (what it may be set to)
                            "levels": null | ["S", "M", "L"],             (in their order)
                            "monotone": -1 | 0 | 1, "cost": 1}, ...]},
     "tree": null | PAYLOAD,          the dict of `ceiba.report.payload` (version, columns, nodes,
                                      test, pruning, ...), so that the report's code can draw it;
                                      null while there is no target
     "by_hand": [0, 4],               nodes whose split was made by hand
     "rules": [{"node": 3, "forbid": ["Age"], "prefer": [], "sealed": false}, ...],
     "figures": FIGURES,
     "warnings": [WARNING, ...],
     "log": [{"line": "model = model.set_split(0, 'Sex = female', X, y, levels=0)",
              "action": "take", "node": 0}, ...],
     "undo": 5, "redo": 2,            how many actions can be taken back, and made again
     "snapshots": [{"name": "first", "n_leaves": 7, "current": false}, ...],
     "lesson": null | {"name": "restaurant", "answered": [{"node": 0, "column": "Patrons"}]},
     "exports": [{"name": "sql", "ending": ".sql", "about": "..."}, ...]}
    FIGURES: {"train": FIGURE, "held_out": null | FIGURE,
              "cross_validated": null | FIGURE with "folds", "current" (false: of an older tree)}
    FIGURE (classes): {"n_rows", "error", "se", "cost" (null without costs), "log_loss",
                       "baseline" (error of the root alone), "n_leaves"}
    FIGURE (numbers): {"n_rows", "mse", "se", "rmse", "r2", "baseline" (mse of the root),
                       "n_leaves"}
    WARNING: {"code": "worse_than_best", "node", "split", "best", "loss", "se"}
           | {"code": "held_out_disagrees", "node", "p_value", "train": [...], "held_out": [...]}
             (class shares, or [mean, sd]); the page words them

POST /api/action {"action": NAME, "arguments": {...}, "revision": 12 (optional)}  -> the new state
    Saved on disk before the answer is sent. Names and arguments:
    set_column    {"column", "role"?, "kind"?, "order"? [levels], "monotone"?, "cost"?}
    set_options   {"options": {"criterion"?, "max_depth"?, "min_samples_leaf"?, ...},
                   "class_prior"? {label: share} | null, "cost_matrix"? [[...]] | null}
    set_held_out  {"share", "seed"?} | {"file": "name in the folder"} | {}
                  (set_column, and set_held_out, start the tree anew at its root)
    restart       {}                            from the beginning; can be undone
    take          {"node", "split": SPLIT}      split a node, as given, into leaves
    grow          {"node", "levels": 1 | null}  split the leaves at and below a node; null: to the
                                                end. Node 0 with null: grow everything
    regrow        {"node"}                      forget what is below, and grow it to the end
    cut           {"node"}                      take away what is below
    seal          {"node", "sealed": true}      make a leaf that growing leaves alone
    forbid        {"node", "columns": [...]}    not asked about at and below the node; [] allows all
    prefer        {"node", "columns": [...]}    asked about first, where they gain anything
    copy          {"node", "to"}                the questions below a node, asked below another one
    note          {"node", "name"?, "note"?}    "" takes one away
    override      {"node", "answer" | null, "reason"?}
    prune         {"alpha"} | {"n_leaves"}      of the pruning sequence in the state's tree
    undo, redo    {"steps": 1}
    snapshot      {"name"}                      name the state; restore {"name"}; forget {"name"}
    SPLIT: a sentence as it is printed ("Age <= 30", "Sex = female", "x <= 1 | 1 < x <= 3 | x > 3"),
           or {"column": "Age", "cut": 30} | {"column", "cuts": [18, 65]}
            | {"column", "branches": [[0, 2], [1]]} (codes of levels: places in columns.levels)
            | {"column", "presence": true}; "missing_branch": true, beside cuts, gives rows without
           a value a branch of their own; with "missing": branch of rows without a value, optional

GET /api/columns?rows=all  ->  {"n_rows", "n_described", "n_missing", "target", "columns": [...]}:
    `ceiba.describe(...).to_dict()` of the table as set up; `remarks` have `code` and `text`.
    Without rows=all a large table is described by an even sample of `n_described` rows, at once.

GET /api/node/{node}/rivals  ->
    {"revision", "node", "n_rows", "criterion", "rivals": [RIVAL, ...]}   best first
    RIVAL: {"column", "split": "Age <= 30", "given": SPLIT object, "gain", "p_value": null | number,
            "p_bound": "exact" | "at most" | "at least" | "pending", "forbidden": false,
            "exact": false (of many rows: the best of 255 cuts, not of all),
            "current": true (the node's own split), "branches": [BRANCH, ...]}
    BRANCH: {"text": "Age <= 30", "n_rows", "weight", "impurity",
             "counts": [...] | null, "mean", "sd" (numbers, else null)}
    Columns without any split are listed last, with "split": null.
GET /api/node/{node}/p-values  ->  {"revision", "node", "p_values": {"Age": {"p_value", "p_bound"}}}
    What "pending" p-values are; may take seconds.
GET /api/node/{node}/column/{name}  ->  what is drawn of one column at a node
    {"revision", "node", "column", "kind", "histogram": BARS of the report with its cut or null,
     "curve": null | {"cut": [...], "gain": [...], "every": 5} (at most 512 points, the best of each
     stretch; of many rows each fifth counts), "n_missing",
     "levels": null | [{"code", "text", "n_rows", "counts" | "mean"}]}
POST /api/node/{node}/preview {"split": SPLIT}  ->  what a split would do; nothing changes
    {"revision", "node", "split": "Age <= 31", "given": SPLIT object, "gain",
     "p_value" (of the branches, as if fixed beforehand),
     "branches": [BRANCH, ...], "held_out": null | [BRANCH, ...],
     "empty": false (true: a branch has no rows, and the split cannot be taken)}
POST /api/node/{node}/further-cut {"column", "cuts": [18, 65]}  ->  {"cut": 40.5 | null}: the cut
    that gains most beside these
GET /api/node/{node}/rows?limit=20  ->  {"columns": [...], "rows": [[...], ...]}: some of its rows

GET /api/compare?a=NAME&b=NAME  ->  NAME of a snapshot, "" for the tree as it is, or "@automatic"
    for the tree that `fit` grows by the same options
    {"a": {"name", "figures": FIGURES, "n_leaves", "depth"}, "b": {...},
     "rows": "held_out" | "train" (those that are compared), "n_rows", "n_changed",
     "changed": [{"a": answer, "b": answer, "node_a", "node_b", "n_rows"}, ...] most first,
     "difference", "se" (of error, cost or mse, b minus a, paired by row), "better": "a" | "b" |
     null, "within_one_se": true}

POST   /api/cross-validation {"folds": 10}  ->  {"running": true, "done": 0, "total": 10}
GET    /api/cross-validation                ->  the same, or {"running": false}
DELETE /api/cross-validation                ->  {"running": false}: cancelled

GET /api/download/script | model | report | export?format=sql  ->  the file, as an attachment
POST /api/save {"what": "script" | "model" | "report" | "export", "name": "t.py", "format": "sql"}
    ->  {"saved": "t.py"}: written into the folder of the data; a name is a plain file name
GET /api/files  ->  {"files": ["test.csv", ...]}: tables in the folder, for held-out rows

GET  /api/lesson/{node}?column=Patrons&measure=entropy  ->  after the node was answered
    {"node", "column", "measure", "result", "steps": [{"title", "text", "formula", "value"}, ...]}
    measure: entropy, gini, gain, gain_ratio, chi2; texts in the language `?lang=es`
POST /api/lesson/{node} {"column": "Patrons"}  ->  {"right": true, "best": ["Patrons"], "gains":
    {column: gain}}; from then on the figures of this node are shown. Until then rivals have their
    "split", "gain", "p_value" and "branches" null and come in the order of the table, and
    p-values, column and preview answer 403 with code "lesson".

POST /api/close  ->  {"closed": true}; the server ends, and Python gets the model

Websocket /api/changes?token=T   (the server pushes, the page only listens)
    {"type": "state", "revision": 13}                       read the state again
    {"type": "progress", "done": 3, "total": 10}            of the cross-validation
    {"type": "cross_validated", "revision": 13}             or "cancelled" | "failed" with "text"
    {"type": "closed"}
"""

from __future__ import annotations
