// Why the page does not read a file or grow a tree: a key of the catalogue, and the values of its sentence.

export class Refusal extends Error {
  constructor(/** @type {string} */ key, /** @type {Record<string, any>} */ values = {}) {
    super(`${key} ${JSON.stringify(values)}`);
    this.key = key;
    this.values = values;
  }
}
