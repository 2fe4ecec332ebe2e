"""The phrases of trees with class priors: which figures are prior-weighted; see `phrases`.

They are looked up before all others, whose patterns are parts of theirs. The words are those of the
report page.
"""

from __future__ import annotations

from typing import Final

#: (pattern, Spanish, Portuguese).
PRIOR_PHRASES: Final[tuple[tuple[str, str, str], ...]] = (
    # evaluate
    (r"^([\d,.]+) rows?: error of these rows (\S+) \(95 % interval (\S+) to (\S+)\), "
     r"accuracy (\S+)",
     r"\1 filas: error de la muestra \2 (intervalo del 95 %: \3 a \4), exactitud \5",
     r"\1 linhas: erro da amostra \2 (intervalo de 95%: \3 a \4), acurácia \5"),
    (r"^always (.+) \(the root's answer\): error (\S+), prior-weighted cost (\S+)$",
     r"siempre \1 (la respuesta de la raíz): error \2, coste según las probabilidades previas \3",
     r"sempre \1 (a resposta da raiz): erro \2, custo segundo as probabilidades a priori \3"),
    (r"^always (.+) \(the root's answer\): error (\S+), cost (\S+)$",
     r"siempre \1 (la respuesta de la raíz): error \2, coste \3",
     r"sempre \1 (a resposta da raiz): erro \2, custo \3"),
    (r"^cost per row, prior-weighted: (\S+) \(interval (\S+) to (\S+)\)$",
     r"coste por fila, según las probabilidades previas: \1 (intervalo: \2 a \3)",
     r"custo por linha, segundo as probabilidades a priori: \1 (intervalo: \2 a \3)"),
    (r"^cost per row: (\S+) \(interval (\S+) to (\S+)\)$",
     r"coste por fila: \1 (intervalo: \2 a \3)", r"custo por linha: \1 (intervalo: \2 a \3)"),
    (r"^(probabilities(?: of .+)?: AUC .+), of these rows$", r"\1, de la muestra",
     r"\1, da amostra"),
    # rules
    (r"^rows: training rows of the leaf; share: of all, prior-weighted;",
     "filas: las de entrenamiento de la hoja; proporción: del total, según las probabilidades "
     "previas;",
     "linhas: as de treino da folha; proporção: do total, segundo as probabilidades a "
     "priori;"),
    (r"^confidence: probability of the class, prior-weighted; lift: over its prior;",
     "confianza: probabilidad de la clase según las probabilidades previas; lift: entre su "
     "probabilidad previa;",
     "confiança: probabilidade da classe segundo as probabilidades a priori; lift: sobre a sua "
     "probabilidade a priori;"),
    (r"^low, high: 95 % interval, from training rows, prior-weighted, so optimistic \(Wilson\)",
     "intervalo del 95 % según las probabilidades previas, con las filas de entrenamiento, por "
     "tanto optimista (Wilson)",
     "intervalo de 95% segundo as probabilidades a priori, com as linhas de treino, portanto "
     "otimista (Wilson)"),
    # explain, ask, view
    (r"\(prior-weighted probability (\S+); leaf (\d+), (\d+) training rows?\)",
     r"(probabilidad según las previas \1; hoja \2, \3 filas de entrenamiento)",
     r"(probabilidade segundo as probabilidades a priori \1; folha \2, \3 linhas de treino)"),
    (r"; prior-weighted probability ([\d.<>]+)%",
     r"; probabilidad según las probabilidades previas: \1 %",
     r"; probabilidade segundo as probabilidades a priori: \1%"),
    (r"^prior-weighted probabilities:$", "según las probabilidades previas:",
     "segundo as probabilidades a priori:"),
    (r"^([\d,.]+) rows?, ([\d.<>]+)% of all, prior-weighted$",
     r"\1 filas, \2 % del total según las probabilidades previas",
     r"\1 linhas, \2% do total segundo as probabilidades a priori"),
    # summary and pruning
    (r"^share of each class, as stated$", "proporción de cada clase, la indicada",
     "proporção de cada classe, a indicada"),
    (r"^R\(T\): prior-weighted share of rows answered wrongly, on the training rows, so optimistic",
     "R(T): proporción de filas mal respondidas según las probabilidades previas, en las de "
     "entrenamiento, por tanto optimista",
     "R(T): proporção de linhas mal respondidas segundo as probabilidades a priori, nas de "
     "treino, portanto otimista"),
    (r"^R\(T\): prior-weighted mean cost, on the training rows, so optimistic",
     "R(T): coste medio según las probabilidades previas, en las filas de entrenamiento, por tanto "
     "optimista",
     "R(T): custo médio segundo as probabilidades a priori, nas linhas de treino, portanto "
     "otimista"),
    (r"^splits: nodes that ask about the column; usage: prior-weighted share of training rows "
     r"whose path asks about it;",
     "divisiones: nodos que preguntan por la columna; uso: proporción, según las probabilidades "
     "previas, de las filas cuyo camino pregunta por ella;",
     "divisões: nós que perguntam sobre a coluna; uso: proporção, segundo as probabilidades a "
     "priori, das linhas cujo caminho pergunta sobre ela;"),
    (r"\bprior-weighted share of misclassified weight\b",
     "proporción de peso mal clasificado según las probabilidades previas",
     "proporção de peso mal classificado segundo as probabilidades a priori"),
    (r"^alpha: cost per leaf, in units of the prior-weighted mean cost; risk: R\(T\), of the root "
     r"(\S+)",
     r"alfa: coste por hoja, en unidades del coste medio según las probabilidades previas; riesgo: "
     r"R(T), el de la raíz \1",
     r"alfa: custo por folha, em unidades do custo médio segundo as probabilidades a priori; "
     r"risco: R(T), o da raiz \1"),
    (r"\bprior-weighted mean cost\b", "coste medio según las probabilidades previas",
     "custo médio segundo as probabilidades a priori"),
)  # fmt: skip
