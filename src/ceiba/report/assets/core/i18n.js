// The table of words: a text in English, Spanish and Portuguese by key. The bundle fills it from the
// catalogues of `ceiba.words`. The singular form of a key (n = 1) is named key_one.

/** @type {Record<string, [string, string, string]>} */
export const WORDS = {};
