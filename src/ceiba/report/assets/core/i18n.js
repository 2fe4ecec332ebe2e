// The table of words, by key: a text in English, in Spanish and in Portuguese. The bundle fills it from
// the catalogues of `ceiba.words`. A key whose `n` is 1 may have a form of its own, named key_one.

/** @type {Record<string, [string, string, string]>} */
export const WORDS = {};
