// Search finds guides first: what stands in generated API pages, measurements and logs is worth less.
var Scorer = {
  score: function (result) {
    var docname = result[0], score = result[4];
    var query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().trim();
    var stem = query.replace(/(e|s|ing)$/, "");
    var named = docname.indexOf(stem) === 0 || result[1].toLowerCase().indexOf(stem) === 0;
    if (stem.length > 2 && !result[2] && named) score += 15;  // the page that the word names
    if (docname.indexOf("api/generated") === 0) return score - 30;
    if (/^(benchmarks|changelog|numbers|names|engine|developing|api\/|cli_json|lessons\/en\/worked)/.test(docname)) return score - 10;
    if (docname.indexOf("lessons/en") === 0 || docname === "teaching") return score - 4;
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
