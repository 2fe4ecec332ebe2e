// What is done between frames before a reader asks for it: figures of all steps, words of the search,
// and a rehearsal of the gestures, since code that runs for the first time is several times slower.

/** @type {(() => void)[]} */ const ahead = [];
/** A few milliseconds at a time; of the steps the nearest to the open one first. */
function computeAhead() {
  const apart = (/** @type {Step} */ s) => Math.abs(M.steps.indexOf(s) - state.step);
  const steps = M.steps.filter((s) => s.there).sort((a, b) => apart(a) - apart(b));
  for (const name of ["train", "test"]) {
    const source = sourceOf(name);
    if (!source) continue;
    if (!M.regression) for (let k = 0; k < M.K; k++) ahead.push(() => sortedClass(source, k));
    if (M.n > 500) ahead.push(...steps.map((s) => () => metricsAt(s.alpha, name)));
  }
  for (let from = 0; from < M.n; from += 400) {
    ahead.push(() => {
      for (let i = from; i < Math.min(from + 400, M.n); i++) searchText(i);
    });
  }
  for (let i = 0; i < Math.min(M.n, 24); i++) ahead.push(() => withoutTrace({ selected: i }, nodePanel));
  for (const s of steps.slice(1, 9)) ahead.push(() => withoutTrace({ step: M.steps.indexOf(s) }, rehearseStep));
  if (M.n > LARGE_TREE) for (let turn = 0; turn < 4; turn++) ahead.push(() => shapleyOf(state.values, alphaNow(), 0));
  if (M.n > 2000) for (let turn = 0; turn < 6; turn++) for (const search of [M.columns.name[0], "\u0000"]) ahead.push(() => withoutTrace({ search, folded: new Set() }, rehearseSearch));
  const work = () => {
    const end = performance.now() + 3;
    while (ahead.length && performance.now() < end) ahead.shift()();
    if (ahead.length) setTimeout(work, 8);
  };
  setTimeout(work, 100);
}

/** Run something in another state, of which no view hears. @param {Partial<typeof state>} other @param {() => void} run */
function withoutTrace(other, run) {
  const had = { ...state };
  const { layout } = view;
  Object.assign(state, other);
  try {
    run();
  } finally {
    Object.assign(state, had);
    view.layout = layout;
  }
}

/** What a step of the slider computes. */
function rehearseStep() {
  makeLayout();
  summaryLine();
  headerMarks();
  pruneFigures();
}

/** The pictures of a search in the whole tree, on a canvas that is not shown. */
function rehearseSearch() {
  const pen = new CanvasPen(measuring);
  view.layout = wholeLayout = wholeLayout || makeLayout();
  drawIcicle(pen, icicle.width, icicle.height, true);
  const box = { level: "dot", scale: 1, w: 6, h: 6 };
  drawDots({ pen, box, width: view.width, height: view.height, across: true, at: screenPlaces(), room: 0, near: 1, way: new Set(), found: searchHits(), kept: null });
  if (!ahead.length) wholeLayout = null;
}
let wholeLayout = null;
