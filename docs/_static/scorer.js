// Search finds guides first: what stands in generated API pages, measurements and logs is worth less.
var Scorer = {
  score: function (result) {
    var docname = result[0], score = result[4];
    if (docname.indexOf("api/generated") === 0) return score - 30;
    if (/^(benchmarks|changelog|numbers|names|engine|developing|api\/|lessons\/en\/worked)/.test(docname)) return score - 10;
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
