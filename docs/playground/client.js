// The page's side of the worker: questions with an id, answers, progress.

/** @type {Worker|null} */ let worker = null;
let lastId = 0;
/** @type {Map<number, {resolve: (result: any) => void, reject: (error: any) => void, progress?: (stage: any) => void}>} */
const questions = new Map();

/** Ask the worker; a refusal rejects with its key and values. @param {string} action @param {Record<string, any>} given @param {(stage: any) => void} [progress] @returns {Promise<any>} */
export function ask(action, given, progress) {
  return new Promise((resolve, reject) => {
    questions.set(++lastId, { resolve, reject, progress });
    worker.postMessage({ id: lastId, action, ...given });
  });
}

/** The bytes of an element that holds base64 of deflated bytes. */
async function inflate(/** @type {string} */ id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Start the worker from the texts in the page, and hand it the core. @param {{rules: any, limits: any, version: string}} data */
export async function startWorker({ rules, limits, version }) {
  const source = new Blob([document.getElementById("worker").textContent], { type: "text/javascript" });
  worker = new Worker(URL.createObjectURL(source));
  worker.onmessage = ({ data }) => {
    const asked = questions.get(data.id);
    if (data.progress) return asked.progress && asked.progress(data.progress);
    questions.delete(data.id);
    if (data.error) asked.reject(data.error);
    else asked.resolve(data.result);
  };
  await ask("start", { wasm: await inflate("wasm"), rules, limits, version });
}

/** End the worker; questions without an answer stay without one. */
export function endWorker() {
  worker.terminate();
  questions.clear();
}
