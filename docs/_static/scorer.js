// Search finds guides before attributes: what stands in generated API pages and in objects is worth less.
var Scorer = {
  score: function (result) {
    var docname = result[0], score = result[4];
    if (docname.indexOf("api/generated") === 0) return score - 30;
    if (docname.indexOf("lessons/es") === 0 || docname.indexOf("lessons/pt") === 0) return score - 3;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
