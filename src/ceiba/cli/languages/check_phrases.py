"""The phrases of drift, stability and cross-validation, and of `ceiba view`; see `phrases`."""

from __future__ import annotations

from typing import Final

#: English heading: Spanish, Portuguese.
CHECK_CELLS: Final[dict[str, tuple[str, str]]] = {
    "cv_risk": ("riesgo_vc", "risco_vc"),
    "cv_se": ("ee_vc", "ep_vc"),
    "relative_risk": ("riesgo_relativo", "risco_relativo"),
    "relative_cv_risk": ("riesgo_vc_relativo", "risco_vc_relativo"),
    "relative_cv_se": ("ee_vc_relativo", "ep_vc_relativo"),
    "cut low": ("corte inferior", "corte inferior"),
    "cut high": ("corte superior", "corte superior"),
    "best split": ("mejor división", "melhor divisão"),
    "ours": ("la nuestra", "a nossa"),
    "difference": ("diferencia", "diferença"),
    "SE": ("EE", "EP"),
    "its SE": ("su EE", "seu EP"),
    "within 1 SE": ("a menos de 1 EE", "a menos de 1 EP"),
    "yes": ("sí", "sim"),
    "rate then": ("tasa antes", "taxa antes"),
    "rate then low": ("tasa antes inf.", "taxa antes inf."),
    "rate then high": ("tasa antes sup.", "taxa antes sup."),
    "rate now": ("tasa ahora", "taxa agora"),
    "rate now low": ("tasa ahora inf.", "taxa agora inf."),
    "rate now high": ("tasa ahora sup.", "taxa agora sup."),
    "mean then": ("media antes", "média antes"),
    "mean then low": ("media antes inf.", "média antes inf."),
    "mean then high": ("media antes sup.", "média antes sup."),
    "mean now": ("media ahora", "média agora"),
    "mean now low": ("media ahora inf.", "média agora inf."),
    "mean now high": ("media ahora sup.", "média agora sup."),
    "mean p": ("p de la media", "p da média"),
    "spread": ("dispersión", "dispersão"),
    "a leaf": ("una hoja", "uma folha"),
    "rate p": ("p de la tasa", "p da taxa"),
}

#: (pattern, Spanish, Portuguese).
CHECK_PHRASES: Final[tuple[tuple[str, str, str], ...]] = (
    # Titles of tables.
    (r"^branches$", "ramas", "ramos"),
    (r"^leaves$", "hojas", "folhas"),
    (r"^splits$", "divisiones", "divisões"),
    (r"^columns that could stand at node (\d+)$", r"columnas que podrían estar en el nodo \1",
     r"colunas que poderiam estar no nó \1"),
    (r"^cost-complexity pruning, (\d+)-fold cross-validation(?:, (\d+) times)?$",
     r"poda por coste-complejidad, validación cruzada de \1 partes",
     r"poda por custo-complexidade, validação cruzada de \1 partes"),
    (r"^cost-complexity pruning$", "poda por coste-complejidad", "poda por custo-complexidade"),
    # Cross-validation.
    (r"^alpha: cost per leaf, in the unit of the (.+); the tree of a row is the best one from its "
     r"alpha up to the next$",
     r"alfa: coste por hoja, en la unidad de: \1; el árbol de una fila es el mejor desde su alfa "
     r"hasta la siguiente",
     r"alfa: custo por folha, na unidade de: \1; a árvore de uma linha é a melhor desde o seu alfa "
     r"até o seguinte"),
    (r"^cp: alpha / R\(root\), R\(root\) = ", "cp: alfa / R(raíz), R(raíz) = ",
     "cp: alfa / R(raiz), R(raiz) = "),
    (r"^risk: R\(T\), (.+?), on the training rows", r"riesgo: R(T), \1, en las filas de "
     r"entrenamiento", r"risco: R(T), \1, nas linhas de treino"),
    (r"; cv_risk, cv_se: on held-out rows, with its standard error",
     "; riesgo_vc, ee_vc: en filas reservadas, con su error estándar",
     "; risco_vc, ep_vc: em linhas reservadas, com o seu erro padrão"),
    (r"; cv_sd: standard deviation between repeats",
     "; cv_sd: desviación estándar entre repeticiones",
     "; cv_sd: desvio padrão entre repetições"),
    (r"^relative_\.\.\.: divided by the risk of the root, ",
     "..._relativo: dividido por el riesgo de la raíz, ",
     "..._relativo: dividido pelo risco da raiz, "),
    (r"\bshare of misclassified weight\b", "proporción de peso mal clasificado",
     "proporção de peso mal classificado"),
    (r"^(alfa|riesgo|risco)(: .*)\bmean squared error\b", r"\1\2error cuadrático medio",
     r"\1\2erro quadrático médio"),
    (r"^(alfa|riesgo|risco)(: .*)\bmean cost\b", r"\1\2coste medio", r"\1\2custo médio"),
    # Drift.
    (r"^([\d,.]+) new rows against ([\d,.]+) training rows$",
     r"\1 filas nuevas frente a \2 filas de entrenamiento",
     r"\1 linhas novas contra \2 linhas de treino"),
    (r"^PSI over the leaves (\S+) \(by chance about (\S+)\)$",
     r"PSI sobre las hojas: \1 (por azar, cerca de \2)",
     r"PSI sobre as folhas: \1 (por acaso, cerca de \2)"),
    (r"^no node's traffic has changed \(corrected p (\S+)\)$",
     r"el tráfico de ningún nodo ha cambiado (p corregido \1)",
     r"o tráfego de nenhum nó mudou (p corrigido \1)"),
    (r"^the change starts at node (\d+) \((.+)\): corrected p (\S+)$",
     r"el cambio empieza en el nodo \1 (\2): p corregido \3",
     r"a mudança começa no nó \1 (\2): p corrigido \3"),
    (r"^shares: of the rows in the node; PSI: the branch's part; p: corrected for all nodes",
     "proporciones: de las filas del nodo; PSI: la parte de la rama; p: corregido por todos los "
     "nodos",
     "proporções: das linhas do nó; PSI: a parte do ramo; p: corrigido por todos os nós"),
    (r"^shares: of all rows; PSI: the leaf's part",
     "proporciones: de todas las filas; PSI: la parte de la hoja",
     "proporções: de todas as linhas; PSI: a parte da folha"),
    (r"; rate: share of the leaf's class, 95 % interval, p corrected for all leaves",
     "; tasa: proporción de la clase de la hoja, intervalo del 95 %, p corregido por todas las "
     "hojas",
     "; taxa: proporção da classe da folha, intervalo de 95%, p corrigido por todas as folhas"),
    (r"; rate: mean of the leaf, 95 % interval, p corrected for all leaves",
     "; tasa: media de la hoja, intervalo del 95 %, p corregido por todas las hojas",
     "; taxa: média da folha, intervalo de 95%, p corrigido por todas as folhas"),
    (r"; mean: mean of the target, 95 % interval, p corrected for all leaves",
     "; media: la del objetivo, intervalo del 95 %, p corregido por todas las hojas",
     "; média: a do alvo, intervalo de 95%, p corrigido por todas as folhas"),
    (r"; then is of the rows that the tree was fitted to, so it is optimistic",
     "; «antes» es de las filas con las que se ajustó el árbol, por tanto optimista",
     "; “antes” é das linhas com que a árvore foi ajustada, portanto otimista"),
    # Stability.
    (r"^(\d+) resampled trees: two of them give a row the same answer in (.+?) of cases",
     r"\1 árboles remuestreados: dos de ellos dan a una fila la misma respuesta en el \2 de los "
     r"casos",
     r"\1 árvores reamostradas: duas delas dão a uma linha a mesma resposta em \2 dos casos"),
    (r"^(\d+) resampled trees: two of them differ by (.+?) \(root mean square\)",
     r"\1 árboles remuestreados: dos de ellos difieren en \2 (media cuadrática)",
     r"\1 árvores reamostradas: duas delas diferem em \2 (média quadrática)"),
    (r"^leaves: ours (\d+), theirs (\d+) \(middle 90 %: (\d+) to (\d+)\)$",
     r"hojas: el nuestro \1, los demás \2 (90 % central: \3 a \4)",
     r"folhas: a nossa \1, as demais \2 (90% centrais: \3 a \4)"),
    (r"^reached: share of resampled trees that ask about the same columns above; chosen: and about "
     r"this one here; cut: the middle 90 %; instead: the most common other choice",
     "alcanzado: proporción de árboles remuestreados que preguntan antes por las mismas columnas; "
     "elegido: y aquí por esta; corte: el 90 % central; en su lugar: la otra elección más común",
     "alcançado: proporção de árvores reamostradas que perguntam antes sobre as mesmas colunas; "
     "escolhido: e aqui sobre esta; corte: os 90% centrais; em vez disso: a outra escolha mais "
     "comum"),
    (r"^spread: standard deviation of the resampled trees' predictions, mean over the leaf's rows",
     "dispersión: desviación estándar de las predicciones de los árboles remuestreados, media de "
     "las filas de la hoja",
     "dispersão: desvio padrão das previsões das árvores reamostradas, média das linhas da folha"),
    (r"^agreement: share of resampled trees with the same answer, mean over the leaf's rows",
     "acuerdo: proporción de árboles remuestreados con la misma respuesta, media de las filas de "
     "la hoja",
     "concordância: proporção de árvores reamostradas com a mesma resposta, média das linhas da "
     "folha"),
    (r"^risk: cross-validated (?:misclassification cost|squared error) of the node's rows with the "
     r"column forced there; the free tree has (\S+) \(SE (\S+)\); difference: to the free tree, "
     r"row by row",
     r"riesgo: el de las filas del nodo por validación cruzada, con la columna forzada allí; el "
     r"árbol libre tiene \1 (EE \2); diferencia: con el árbol libre, fila a fila",
     r"risco: o das linhas do nó por validação cruzada, com a coluna forçada ali; a árvore livre "
     r"tem \1 (EP \2); diferença: em relação à árvore livre, linha a linha"),
    # Bars and signs of work under way.
    (r"^reading$", "leyendo", "lendo"),
    (r"^predicting$", "prediciendo", "prevendo"),
    (r"^growing the tree$", "construyendo el árbol", "construindo a árvore"),
    (r"^cross-validating (\S+) fold (\d+) of (\d+)$", r"validación cruzada \1 parte \2 de \3",
     r"validação cruzada \1 parte \2 de \3"),
    (r"^searching: (\S+) so far, at least (\S+), gap (\S+) % \(", r"buscando: \1 hasta ahora, al "
     r"menos \2, brecha \3 % (", r"buscando: \1 até agora, pelo menos \2, lacuna \3% ("),
    # The viewer.
    (r"^Search: a column, a level, a class, #node$",
     "Buscar: una columna, un valor, una clase, #nodo",
     "Buscar: uma coluna, um valor, uma classe, #nó"),
    (r"^Search$", "Buscar", "Buscar"),
    (r"^Next$", "Siguiente", "Próximo"),
    (r"^Next row$", "Fila siguiente", "Próxima linha"),
    (r"^Row before$", "Fila anterior", "Linha anterior"),
    (r"^Unfold all$", "Desplegar todo", "Expandir tudo"),
    (r"^Fold all$", "Plegar todo", "Recolher tudo"),
    (r"^Quit$", "Salir", "Sair"),
    (r"^Leaf (\d+)$", r"Hoja \1", r"Folha \1"),
    (r"^Node (\d+)$", r"Nodo \1", r"Nó \1"),
    (r"^([\d,.]+) rows?, ([\d.<>]+)% of all$", r"\1 filas, el \2 % del total",
     r"\1 linhas, \2% do total"),
    (r"^says (.*)$", r"responde \1", r"responde \1"),
    (r"^asks (.*)$", r"pregunta \1", r"pergunta \1"),
    (r"^depth (\d+)$", r"profundidad \1", r"profundidade \1"),
    (r"^gain (\S+)$", r"ganancia \1", r"ganho \1"),
    (r"^1 leaf below$", "1 hoja por debajo", "1 folha abaixo"),
    (r"^([\d,.]+) leaves below$", r"\1 hojas por debajo", r"\1 folhas abaixo"),
    (r"^[Rr]ow (\d+)$", r"fila \1", r"linha \1"),
    (r"^Nothing is called ('.*')\.$", r"Nada se llama \1.", r"Nada se chama \1."),
    (r"^Give a table to follow its rows: ceiba view MODEL DATA$",
     "Indique una tabla para seguir sus filas: ceiba view MODELO DATOS",
     "Indique uma tabela para seguir as suas linhas: ceiba view MODELO DADOS"),
)  # fmt: skip
