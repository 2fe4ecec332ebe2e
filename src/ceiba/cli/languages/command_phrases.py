"""What commands say of themselves, and the manual page, in Spanish and Brazilian Portuguese."""

from __future__ import annotations

from typing import Final

#: The commands, by paragraph; examples are left alone.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "One decision tree that a person can read and trust.": (
        "Un árbol de decisión que una persona puede leer y del que puede fiarse.",
        "Uma árvore de decisão que uma pessoa pode ler e em que pode confiar."),
    "Exit codes: 0 done, 2 wrong usage, 3 something wrong with the data, 4 with the model, 5 drift "
    "above --fail-psi, 1 anything else. --debug shows where an error came from.": (
        "Códigos de salida: 0 hecho, 2 uso incorrecto, 3 problema con los datos, 4 con el modelo, "
        "5 deriva por encima de --fail-psi, 1 cualquier otra cosa. --debug muestra de dónde viene "
        "un error.",
        "Códigos de saída: 0 feito, 2 uso incorreto, 3 problema com os dados, 4 com o modelo, 5 "
        "desvio acima de --fail-psi, 1 qualquer outra coisa. --debug mostra de onde vem um erro."),
    "Describe a table: kinds of columns, missing cells, distributions, what looks suspicious.": (
        "Describe una tabla: tipos de columnas, celdas vacías, distribuciones y lo sospechoso.",
        "Descreve uma tabela: tipos de colunas, células vazias, distribuições e o que é suspeito."),
    "Learn a tree from a table and save it.": ("Aprende un árbol de una tabla y lo guarda.",
                                               "Aprende uma árvore de uma tabela e a salva."),
    "List the nested trees of a model, or write one of them as a new model.": (
        "Lista los árboles anidados de un modelo, o escribe uno de ellos como modelo nuevo.",
        "Lista as árvores aninhadas de um modelo, ou escreve uma delas como modelo novo."),
    "Compare two models on the rows of one file.": (
        "Compara dos modelos en las filas de un archivo.",
        "Compara dois modelos nas linhas de um arquivo."),
    "Measure how the score grows with the rows learned from, to see whether more would help.": (
        "Mide cómo crece la puntuación con las filas de entrenamiento, para ver si más ayudarían.",
        "Mede como a pontuação cresce com as linhas de treino, para ver se mais ajudariam."),
    "Print the tree of a model.": ("Imprime el árbol de un modelo.",
                                   "Imprime a árvore de um modelo."),
    "Walk a tree with the arrow keys: fold, search, see a node's figures, follow a row.": (
        "Recorre un árbol con las flechas: plegar, buscar, ver las cifras de un nodo, seguir una "
        "fila.",
        "Percorre uma árvore com as setas: recolher, buscar, ver os valores de um nó, seguir uma "
        "linha."),
    "Keys: arrows move, Space folds, / searches, n finds the next, [ and ] follow the row before "
    "and after (with DATA), e unfolds all, c folds all, q quits.": (
        "Teclas: las flechas mueven, Espacio pliega, / busca, n va al siguiente, [ y ] siguen la "
        "fila anterior y la siguiente (con DATOS), e despliega todo, c pliega todo, q sale.",
        "Teclas: as setas movem, Espaço recolhe, / busca, n vai ao próximo, [ e ] seguem a linha "
        "anterior e a próxima (com DADOS), e expande tudo, c recolhe tudo, q sai."),
    "Say what a model is about, how large it is and how good it looked when it was learned.": (
        "Dice de qué trata un modelo, qué tamaño tiene y qué tan bueno parecía al aprenderse.",
        "Diz do que trata um modelo, qual é o seu tamanho e quão bom parecia ao ser aprendido."),
    "Print the tree as rules: condition, answer, rows, confidence, lift.": (
        "Imprime el árbol como reglas: condición, respuesta, filas, confianza, lift.",
        "Imprime a árvore como regras: condição, resposta, linhas, confiança, lift."),
    "Draw a model.": ("Dibuja un modelo.", "Desenha um modelo."),
    "Write the interactive page of a model: one HTML file that needs no network.": (
        "Escribe la página interactiva de un modelo: un archivo HTML que no necesita red.",
        "Escreve a página interativa de um modelo: um arquivo HTML que não precisa de rede."),
    "With held-out rows (--data) the page shows their figures beside those of training.": (
        "Con filas reservadas (--data) la página muestra sus cifras junto a las de entrenamiento.",
        "Com linhas reservadas (--data) a página mostra os seus valores ao lado dos de "
        "treino."),
    "With --stability, --rivals, --by or --drift it has a tab that tells how far to trust the "
    "tree.": (
        "Con --stability, --rivals, --by o --drift tiene una pestaña que dice hasta qué punto "
        "fiarse del árbol.",
        "Com --stability, --rivals, --by ou --drift tem uma aba que diz até que ponto confiar na "
        "árvore."),
    "Write a model in another format; every format answers as `ceiba predict` does.": (
        "Escribe un modelo en otro formato; todos responden como `ceiba predict`.",
        "Escreve um modelo em outro formato; todos respondem como `ceiba predict`."),
    "Predict every row of a file; CSV to the standard output, or --out (CSV or Parquet).": (
        "Predice cada fila de un archivo; CSV a la salida estándar, o --out (CSV o Parquet).",
        "Prevê cada linha de um arquivo; CSV na saída padrão, ou --out (CSV ou Parquet)."),
    "Ask question by question, only what the way needs, and give the answer.": (
        "Pregunta paso a paso, solo lo que el camino necesita, y da la respuesta.",
        "Pergunta passo a passo, só o que o caminho precisa, e dá a resposta."),
    "Press Enter where a value is not known. Answers are written as in the file that the model was "
    "learned from (1.234,5 or 31/12/2024), and may also come from a pipe, one a line.": (
        "Pulse Intro donde no conozca un valor. Las respuestas se escriben como en el archivo del "
        "que se aprendió el modelo (1.234,5 o 31/12/2024), y también pueden venir de una tubería, "
        "una por línea.",
        "Pressione Enter onde não souber um valor. As respostas são escritas como no arquivo de "
        "que o modelo foi aprendido (1.234,5 ou 31/12/2024), e também podem vir de um pipe, uma "
        "por linha."),
    "Compare the answers of a model with the truth in a file.": (
        "Compara las respuestas de un modelo con los valores reales de un archivo.",
        "Compara as respostas de um modelo com os valores reais de um arquivo."),
    "Classification: confusion matrix, error and cost against always giving the most frequent "
    "class. Of the probabilities: AUC, average precision, Brier score, log loss, KS; gains with "
    "--gains. Regression: mean squared and absolute error, R2, against the mean.": (
        "Clasificación: matriz de confusión, error y coste frente a dar siempre la clase más "
        "frecuente. De las probabilidades: AUC, precisión media, Brier, pérdida logarítmica, KS; "
        "ganancias con --gains. Regresión: error cuadrático medio y absoluto, R2, frente a la "
        "media.",
        "Classificação: matriz de confusão, erro e custo em relação a dar sempre a classe mais "
        "frequente. Das probabilidades: AUC, precisão média, Brier, perda logarítmica, KS; ganhos "
        "com --gains. Regressão: erro quadrático médio e absoluto, R2, em relação à média."),
    "Explain the answer for one row: every question on its way, and who decided.": (
        "Explica la respuesta para una fila: cada pregunta de su camino, y quién decidió.",
        "Explica a resposta para uma linha: cada pergunta do seu caminho, e quem decidiu."),
    "Find the nearest changes to a row that would give it another answer.": (
        "Busca los cambios más cercanos a una fila que le darían otra respuesta.",
        "Busca as mudanças mais próximas em uma linha que lhe dariam outra resposta."),
    "Compare new rows with the rows the model was learned from, branch by branch.": (
        "Compara filas nuevas con las de entrenamiento del modelo, rama a rama.",
        "Compara linhas novas com as de treino do modelo, ramo a ramo."),
    "The model file keeps counts only, which is all that is needed.": (
        "El archivo del modelo solo guarda recuentos, que es todo lo necesario.",
        "O arquivo do modelo guarda apenas contagens, que é tudo o que é preciso."),
    "Fit again on resamples of the rows that the model was learned from.": (
        "Vuelve a ajustar el modelo con remuestras de sus filas de entrenamiento.",
        "Ajusta o modelo de novo com reamostras das suas linhas de treino."),
    "Tells for each split how often it is chosen again, and for each leaf how often its answer is."
    : (
        "Dice con qué frecuencia se vuelve a elegir cada división, y la respuesta de cada hoja.",
        "Diz com que frequência cada divisão é escolhida de novo, e a resposta de cada folha."),
    "List the embedded data sets, or write one as CSV.": (
        "Lista los conjuntos de datos incluidos, o escribe uno como CSV.",
        "Lista os conjuntos de dados incluídos, ou escreve um como CSV."),
    "Grow a tree by hand, with the data, in the browser.": (
        "Construye un árbol a mano, con los datos, en el navegador.",
        "Constrói uma árvore à mão, com os dados, no navegador."),
    "The work is kept in DATA.studio after every action; starting again goes on with it.": (
        "El trabajo se guarda en DATOS.studio tras cada acción; al abrirlo de nuevo, continúa.",
        "O trabalho é guardado em DADOS.studio após cada ação; ao abrir de novo, continua."),
    "List the eight lessons, or write one as a Jupyter notebook.": (
        "Lista las ocho lecciones, o escribe una como cuaderno de Jupyter.",
        "Lista as oito lições, ou escreve uma como notebook do Jupyter."),
    "Learn two small trees, print them, draw one and write its report.": (
        "Aprende dos árboles pequeños, los imprime, dibuja uno y escribe su informe.",
        "Aprende duas árvores pequenas, imprime-as, desenha uma e escreve o seu relatório."),
}  # fmt: skip

#: The manual page.
MANUAL: Final[dict[str, tuple[str, str]]] = {
    "NAME": ("NOMBRE", "NOME"),
    "SYNOPSIS": ("SINOPSIS", "SINOPSE"),
    "DESCRIPTION": ("DESCRIPCIÓN", "DESCRIÇÃO"),
    "COMMANDS": ("COMANDOS", "COMANDOS"),
    "EXIT STATUS": ("CÓDIGOS DE SALIDA", "CÓDIGOS DE SAÍDA"),
    "ENVIRONMENT": ("ENTORNO", "AMBIENTE"),
    "User Commands": ("Órdenes de usuario", "Comandos de usuário"),
    "one decision tree that a person can read and trust": (
        "un árbol de decisión que una persona puede leer y del que puede fiarse",
        "uma árvore de decisão que uma pessoa pode ler e em que pode confiar"),
    "Learns decision trees from tables, prunes, explains, draws and ships them. Answers go to the "
    "standard output, remarks to the standard error.": (
        "Aprende árboles de decisión de tablas, los poda, explica, dibuja y exporta. Las "
        "respuestas van a la salida estándar; los avisos, a la salida de errores.",
        "Aprende árvores de decisão de tabelas, poda, explica, desenha e exporta. As respostas vão "
        "para a saída padrão; os avisos, para a saída de erros."),
    "done": ("hecho", "feito"),
    "anything else, such as a full disk": ("cualquier otra cosa, como un disco lleno",
                                           "qualquer outra coisa, como um disco cheio"),
    "wrong usage": ("uso incorrecto", "uso incorreto"),
    "something wrong with the data": ("problema con los datos", "problema com os dados"),
    "something wrong with the model": ("problema con el modelo", "problema com o modelo"),
    "drift above --fail-psi": ("deriva por encima de --fail-psi", "desvio acima de --fail-psi"),
    "interrupted": ("interrumpido", "interrompido"),
    "No colours on the terminal.": ("Sin colores en el terminal.", "Sem cores no terminal."),
}  # fmt: skip
