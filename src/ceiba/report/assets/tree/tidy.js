// Positions of nodes across the drawn tree: Reingold & Tilford's algorithm for any number of branches, once from the left
// and once from the right, averaged. The same as in ceiba.layout.

/**
 * @param {ArrayLike<number>} parent positions in pre-order, -1 at the root
 * @param {number} width of every box @param {number} gap
 * @returns {Float64Array} centres, the leftmost edge at 0
 */
export function tidyLayout(parent, width, gap) {
  const n = parent.length;
  const branches = Array.from({ length: n }, () => /** @type {number[]} */ ([]));
  for (let i = 1; i < n; i++) branches[parent[i]].push(i);
  const left = packSubtrees(parent, width, gap, branches);
  const right = packSubtrees(parent, width, gap, branches.map((row) => row.slice().reverse()));
  let least = Infinity;
  const x = left.map((v, i) => (v - right[i]) / 2);
  for (const v of x) least = Math.min(least, v - width / 2);
  return x.map((v) => v - least);
}

/** Pack every subtree against its left neighbour; contours are stored deepest level first. */
function packSubtrees(parent, width, gap, branches) {
  const n = parent.length;
  const offsets = new Float64Array(n);
  const contours = new Array(n);
  const half = width / 2;
  for (let node = n - 1; node >= 0; node--) {
    let contour = { left: [], right: [], shift: 0 };
    const below = branches[node];
    if (below.length) {
      contour = contours[below[0]];
      for (let b = 1; b < below.length; b++) {
        const next = contours[below[b]];
        offsets[below[b]] = contourDistance(contour, next, gap);
        next.shift += offsets[below[b]];
        contour = mergeContours(contour, next);
      }
      const middle = offsets[below[below.length - 1]] / 2;
      for (const b of below) offsets[b] -= middle;
      contour.shift -= middle;
    }
    contour.left.push(-half - contour.shift);
    contour.right.push(half - contour.shift);
    contours[node] = contour;
  }
  const x = new Float64Array(n);
  for (let i = 1; i < n; i++) x[i] = offsets[i] + x[parent[i]];
  return x;
}

function contourDistance(a, b, gap) {
  const common = Math.min(a.left.length, b.left.length);
  const offset = a.shift - b.shift + gap;
  let far = -Infinity;
  for (let k = 1; k <= common; k++) {
    far = Math.max(far, a.right[a.right.length - k] - b.left[b.left.length - k] + offset);
  }
  return far;
}

function mergeContours(a, b) {
  const common = Math.min(a.left.length, b.left.length);
  if (a.left.length >= b.left.length) {
    const offset = b.shift - a.shift;
    for (let k = 1; k <= common; k++) a.right[a.right.length - k] = b.right[b.right.length - k] + offset;
    return a;
  }
  const offset = a.shift - b.shift;
  for (let k = 1; k <= common; k++) b.left[b.left.length - k] = a.left[a.left.length - k] + offset;
  return b;
}
