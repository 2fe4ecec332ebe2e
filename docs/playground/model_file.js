// The model file (docs/model_file.md) of a tree: JSON that ceiba.load reads, with a bare tree.

const numbersOrNull = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));

/** The text of the file. @param {any} tree as `readTree` returns it @param {any} columns of the payload @param {{name: string, codes?: any, classes?: any[], type?: string}} target @param {{version: string, criterion: string, source: string}} about */
export function writeModelFile(tree, columns, target, about) {
  const isClasses = Boolean(target.codes), width = isClasses ? target.classes.length : 1;
  const ofClass = (k) => Array.from(tree.parent, (_, i) => tree.value[i * width + k]);
  const total = Array.from(tree.parent, (_, i) => tree.value.slice(i * width, (i + 1) * width).reduce((a, b) => a + b, 0));
  const counts = isClasses ? target.classes.map((_, k) => ofClass(k)) : null;
  const { splits } = tree;
  return JSON.stringify({
    format: "ceiba", version: 7, written: { ceiba: about.version, at: new Date().toISOString().slice(0, 19) + "+00:00" },
    schema: {
      named: true,
      columns: columns.name.map((name, j) => ({
        name, kind: columns.kind[j], ...(columns.kind[j] === "numeric" ? {} : { levels: columns.levels[j] }),
        ...(columns.display[j] === "number" ? {} : { display: columns.display[j] }), ...(columns.n_missing[j] ? { n_missing: columns.n_missing[j] } : {}),
        ...(columns.minimum[j] === null ? {} : { minimum: columns.minimum[j], maximum: columns.maximum[j] }),
      })),
      target: { name: target.name, task: isClasses ? "classification" : "regression", n_outputs: 1, classes: isClasses ? [{ type: target.type, labels: target.classes }] : [] },
    },
    tree: {
      criterion: about.criterion, missing: "learn", unseen: "majority", parent: [...tree.parent],
      splits: {
        kind: [...splits.kind], column: [...splits.column], cut: numbersOrNull(splits.cut), low_branch: [...splits.low_branch],
        level_start: [...splits.level_start], level_code: [...splits.level_code], level_branch: [...splits.level_branch], digits: [...splits.digits],
      },
      default_branch: [...tree.default_branch], n_rows: [...tree.n_rows], sent_default: [...tree.sent_default], weight: [...tree.weight],
      impurity: [...tree.impurity], gain: [...tree.gain], risk: [...tree.risk],
      value: [isClasses ? counts.map((list) => list.map((c, i) => c / total[i])) : ofClass(0)].map((list) => (isClasses ? list : [list])),
      counts: isClasses ? [counts] : null, cost_matrix: null, class_prior: null, surrogates: null, competitors: null, tests: null,
    },
    model: null, metadata: { source: about.source, grown_in: "browser" },
  }, null, 1);
}
