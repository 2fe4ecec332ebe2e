"""What ``--help`` says of options, in Spanish and Brazilian Portuguese, and the words around it.

A help line is looked up without its list of names and its default.
"""

from __future__ import annotations

from typing import Final

#: English: Spanish, Portuguese. Names that stand for values, and headings.
METAVARS: Final[dict[str, tuple[str, str]]] = {
    "COLUMN": ("COLUMNA", "COLUNA"),
    "FILE": ("ARCHIVO", "ARQUIVO"),
    "NAME": ("NOMBRE", "NOME"),
    "NUMBER": ("NÚMERO", "NÚMERO"),
    "INTEGER": ("ENTERO", "INTEIRO"),
    "TEXT": ("TEXTO", "TEXTO"),
    "NODE": ("NODO", "NÓ"),
    "CLASS": ("CLASE", "CLASSE"),
    "VALUE": ("VALOR", "VALOR"),
    "LEVEL": ("NIVEL", "NÍVEL"),
    "LOW": ("BAJO", "BAIXO"),
    "MIDDLE": ("MEDIO", "MÉDIO"),
    "HIGH": ("ALTO", "ALTO"),
    "DATA": ("DATOS", "DADOS"),
    "MODEL": ("MODELO", "MODELO"),
    "FORMAT": ("FORMATO", "FORMATO"),
    "FIRST": ("PRIMERO", "PRIMEIRO"),
    "SECOND": ("SEGUNDO", "SEGUNDO"),
    "OPTIONS": ("OPCIONES", "OPÇÕES"),
    "COMMAND": ("COMANDO", "COMANDO"),
    "CHARACTER": ("CARÁCTER", "CARACTERE"),
    "ARGS": ("ARGUMENTOS", "ARGUMENTOS"),
    "SHEET": ("HOJA", "PLANILHA"),
    "TABLE": ("TABLA", "TABELA"),
}
PANELS: Final[dict[str, tuple[str, str]]] = {
    "Arguments": ("Argumentos", "Argumentos"),
    "Options": ("Opciones", "Opções"),
    "Commands": ("Comandos", "Comandos"),
    "Error": ("Error", "Erro"),
    "Learn": ("Aprender", "Aprender"),
    "Read": ("Leer", "Ler"),
    "Use and check": ("Usar y comprobar", "Usar e verificar"),
    "Examples": ("Ejemplos", "Exemplos"),
    "What is written": ("Qué se escribe", "O que é escrito"),
    "How it is judged": ("Cómo se evalúa", "Como é avaliado"),
    "How the file is read": ("Cómo se lee el archivo", "Como o arquivo é lido"),
    "What the columns are": ("Qué son las columnas", "O que são as colunas"),
    "How the tree grows": ("Cómo crece el árbol", "Como a árvore cresce"),
    "How large the tree is": ("Qué tamaño tiene el árbol", "Qual é o tamanho da árvore"),
    "Tables beyond memory": ("Tablas mayores que la memoria", "Tabelas maiores que a memória"),
    "[required]": ("[obligatorio]", "[obrigatório]"),
    "Usage: ": ("Uso: ", "Uso: "),
}
DEFAULTS: Final[dict[str, tuple[str, str]]] = {
    "none": ("ninguno", "nenhum"),
    "found out": ("se averigua", "descoberto"),
    "judged by the cells": ("según las celdas", "conforme as células"),
    "judged by the target": ("según el objetivo", "conforme o alvo"),
    "what its first bytes say, else utf-8": ("lo que digan sus primeros bytes; si no, utf-8",
                                             "o que dizem os primeiros bytes; senão, utf-8"),
    "empty, NA, N/A, n/a, NaN, nan, null, NULL, ?, errors of Excel; and - and the like among "
    "numbers": (
        "vacía, NA, N/A, n/a, NaN, nan, null, NULL, ?, errores de Excel; y - y similares entre "
        "números",
        "vazia, NA, N/A, n/a, NaN, nan, null, NULL, ?, erros do Excel; e - e semelhantes entre "
        "números"),
    "the standard output": ("la salida estándar", "a saída padrão"),
    "on a terminal": ("en un terminal", "em um terminal"),
    "order of the leaves": ("el orden de las hojas", "a ordem das folhas"),
    "DATA.ceiba": ("DATOS.ceiba", "DADOS.ceiba"),
    "DATA.studio": ("DATOS.studio", "DADOS.studio"),
    "invented stand-ins": ("sustitutos inventados", "substitutos inventados"),
    "lesson_NUMBER_LANG.ipynb": ("lesson_NÚMERO_IDIOMA.ipynb", "lesson_NÚMERO_IDIOMA.ipynb"),
    "MODEL.html": ("MODELO.html", "MODELO.html"),
}  # fmt: skip

#: The options.
OPTIONS: Final[dict[str, tuple[str, str]]] = {
    "A table (CSV, Parquet, Arrow, a spreadsheet, a database), a model file, or with --lesson "
    "restaurant, play-tennis or iris.": (
        "Una tabla (CSV, Parquet, Arrow, una hoja de cálculo, una base de datos), un archivo de "
        "modelo o, con --lesson, restaurant, play-tennis o iris.",
        "Uma tabela (CSV, Parquet, Arrow, uma planilha, um banco de dados), um arquivo de modelo "
        "ou, com --lesson, restaurant, play-tennis ou iris."),
    "With a model file: the table it learned from.": (
        "Con un archivo de modelo: su tabla de entrenamiento.",
        "Com um arquivo de modelo: a sua tabela de treino."),
    "A file of held-out rows.": ("Un archivo de filas reservadas.",
                                 "Um arquivo de linhas reservadas."),
    "Classroom mode: figures stay hidden until you have answered.": (
        "Modo de clase: las cifras quedan ocultas hasta que usted responde.",
        "Modo de aula: os valores ficam ocultos até você responder."),
    "Where the work is kept.": ("Dónde se guarda el trabajo.", "Onde o trabalho é guardado."),
    "Begin anew; the work so far is put aside.": (
        "Empieza de nuevo; el trabajo anterior se aparta.",
        "Começa de novo; o trabalho anterior é posto de lado."),
    "Address to listen on; others than this computer's own are open to the network.": (
        "Dirección en la que se escucha; fuera de este equipo, queda abierta a la red.",
        "Endereço em que se escuta; fora deste computador, fica aberto à rede."),
    "Port; 0 takes a free one.": ("Puerto; 0 toma uno libre.", "Porta; 0 usa uma livre."),
    "Print the address instead of opening a browser.": (
        "Imprime la dirección en vez de abrir un navegador.",
        "Imprime o endereço em vez de abrir um navegador."),
    "Language of the page: en, es, pt.": ("Idioma de la página: en, es, pt.",
                                          "Idioma da página: en, es, pt."),
    "Show this message and exit.": ("Muestra esta ayuda y termina.",
                                    "Mostra esta ajuda e termina."),
    "Show the version.": ("Muestra la versión.", "Mostra a versão."),
    "Print the manual page: ceiba --man | man -l -": (
        "Imprime la página del manual: ceiba --man | man -l -",
        "Imprime a página do manual: ceiba --man | man -l -"),
    "Show where an error came from.": ("Muestra de dónde viene un error.",
                                       "Mostra de onde vem um erro."),
    "Install completion for the current shell.": (
        "Instala el autocompletado en la shell actual.",
        "Instala o autocompletar no shell atual."),
    "Show completion for the current shell, to copy it or customize the installation.": (
        "Muestra el autocompletado de la shell actual, para copiarlo o adaptar la instalación.",
        "Mostra o autocompletar do shell atual, para copiá-lo ou adaptar a instalação."),
    "CSV (any separator; .gz .bz2 .xz .zst .zip too), Parquet, Arrow, NDJSON, a spreadsheet (.xlsx "
    ".xls .ods, FILE::SHEET), FILE.db::TABLE of SQLite or DuckDB, or - for CSV from the standard "
    "input.": (
        "CSV (con cualquier separador; también .gz .bz2 .xz .zst .zip), Parquet, Arrow, NDJSON, "
        "una hoja de cálculo (.xlsx .xls .ods, ARCHIVO::HOJA), ARCHIVO.db::TABLA de SQLite o "
        "DuckDB, o - para leer CSV de la entrada estándar.",
        "CSV (com qualquer separador; também .gz .bz2 .xz .zst .zip), Parquet, Arrow, NDJSON, uma "
        "planilha (.xlsx .xls .ods, ARQUIVO::PLANILHA), ARQUIVO.db::TABELA do SQLite ou DuckDB, ou "
        "- para ler CSV da entrada padrão."),
    "A column, by name or number: the others get their association with it.": (
        "Una columna, por nombre o número: se muestra la asociación de las demás con ella.",
        "Uma coluna, por nome ou número: mostra-se a associação das demais com ela."),
    "Between the cells: one character, or tab.": (
        "Entre las celdas: un carácter, o tab.", "Entre as células: um caractere, ou tab."),
    "Of the text: utf-8, cp1252, latin-1, ...": (
        "Del texto: utf-8, cp1252, latin-1, ...", "Do texto: utf-8, cp1252, latin-1, ..."),
    "A cell that means missing; may be given several times.": (
        "Una celda que significa ausente; puede indicarse varias veces.",
        "Uma célula que significa ausente; pode ser indicada várias vezes."),
    "Numbers are written 1,5 or 1.5.": ("Los números se escriben 1,5 o 1.5.",
                                        "Os números são escritos 1,5 ou 1.5."),
    "03/04/2024 is 3 April or March 4.": ("03/04/2024 es el 3 de abril o el 4 de marzo.",
                                          "03/04/2024 é 3 de abril ou 4 de março."),
    "Whether the first line holds names.": ("Si la primera línea contiene los nombres.",
                                            "Se a primeira linha contém os nomes."),
    "Names of all columns, instead of those in the file.": (
        "Nombres de todas las columnas, en lugar de los del archivo.",
        "Nomes de todas as colunas, em vez dos do arquivo."),
    "A file with the names of all columns: one a line, or one line.": (
        "Un archivo con los nombres de todas las columnas: uno por línea, o en una línea.",
        "Um arquivo com os nomes de todas as colunas: um por linha, ou em uma linha."),
    "Lines to leave out before the table.": ("Líneas que se omiten antes de la tabla.",
                                             "Linhas a omitir antes da tabela."),
    "Answer in JSON, for machines.": ("Responde en JSON, para programas.",
                                      "Responde em JSON, para programas."),
    "Language of what is printed.": ("Idioma de lo que se imprime.",
                                     "Idioma do que é impresso."),
    "The column to predict, by name or number.": (
        "La columna que se predice, por nombre o número.",
        "A coluna a prever, por nome ou número."),
    "Where the model goes.": ("Dónde se guarda el modelo.", "Onde o modelo é salvo."),
    "What is learned.": ("Qué se aprende.", "O que se aprende."),
    "Columns to leave out: a,b.": ("Columnas que se excluyen: a,b.", "Colunas a excluir: a,b."),
    "Columns that hold levels.": ("Columnas con categorías.", "Colunas com categorias."),
    "Columns that hold numbers.": ("Columnas con números.", "Colunas com números."),
    "Levels in order: size=S<M<L.": ("Niveles en orden: talla=S<M<L.",
                                     "Níveis em ordem: tamanho=P<M<G."),
    "Column with the weight of each row.": ("Columna con el peso de cada fila.",
                                            "Coluna com o peso de cada linha."),
    "Fraction of rows held out for evaluation.": (
        "Fracción de filas reservadas para evaluar.",
        "Fração de linhas reservadas para avaliar."),
    "A file of rows for evaluation.": ("Un archivo de filas para evaluar.",
                                       "Um arquivo de linhas para avaliar."),
    "A known family of trees.": ("Una familia conocida de árboles.",
                                 "Uma família conhecida de árvores."),
    "balanced, or yes=2,no=1.": ("balanced, o sí=2,no=1.", "balanced, ou sim=2,não=1."),
    "Shares of the classes: yes=0.1,no=0.9.": ("Proporciones de las clases: sí=0.1,no=0.9.",
                                               "Proporções das classes: sim=0.1,não=0.9."),
    "CSV of truth, predicted, cost.": ("CSV con valor real, predicho y coste.",
                                       "CSV com valor real, previsto e custo."),
    "Any other option of the estimator: NAME=VALUE.": (
        "Cualquier otra opción del estimador: NOMBRE=VALOR.",
        "Qualquer outra opção do estimador: NOME=VALOR."),
    "Seconds of --search optimal.": ("Segundos de --search optimal.",
                                     "Segundos de --search optimal."),
    "Store the SHA-256 of the file in the model.": (
        "Guarda el SHA-256 del archivo en el modelo.", "Guarda o SHA-256 do arquivo no modelo."),
    "Write the interactive page.": ("Escribe la página interactiva.",
                                    "Escreve a página interativa."),
    "Leave the unpruned tree out of the page: its slider then goes to smaller trees only.": (
        "Deja el árbol sin podar fuera de la página: el deslizador va entonces solo a árboles "
        "menores.",
        "Deixa a árvore não podada fora da página: o controle deslizante vai então só a árvores "
        "menores."),
    "Say only what was asked for.": ("Dice solo lo que se pide.", "Diz apenas o que foi pedido."),
    "What a split must improve.": ("Qué debe mejorar una división.",
                                   "O que uma divisão deve melhorar."),
    "The best cut of each column, or the best of one random cut per column.": (
        "El mejor corte de cada columna, o el mejor de un corte al azar por columna.",
        "O melhor corte de cada coluna, ou o melhor de um corte ao acaso por coluna."),
    "Largest depth of a leaf.": ("Profundidad máxima de una hoja.",
                                 "Profundidade máxima de uma folha."),
    "Rows a node needs to be split.": ("Filas que necesita un nodo para dividirse.",
                                       "Linhas de que um nó precisa para ser dividido."),
    "Rows each branch of a split needs.": ("Filas que necesita cada rama de una división.",
                                           "Linhas de que cada ramo de uma divisão precisa."),
    "Fraction of the total weight each branch of a split needs.": (
        "Fracción del peso total que necesita cada rama de una división.",
        "Fração do peso total de que cada ramo de uma divisão precisa."),
    "Columns tried at each node, drawn at random.": (
        "Columnas que se prueban en cada nodo, elegidas al azar.",
        "Colunas testadas em cada nó, escolhidas ao acaso."),
    "Seed of --max-features, --splitter random and the folds of --prune.": (
        "Semilla de --max-features, --splitter random y las partes de --prune.",
        "Semente de --max-features, --splitter random e das partes de --prune."),
    "Largest number of leaves.": ("Número máximo de hojas.", "Número máximo de folhas."),
    "A split must decrease the impurity of the tree by at least this much.": (
        "Una división debe reducir la impureza del árbol al menos en esta cantidad.",
        "Uma divisão deve reduzir a impureza da árvore em pelo menos este valor."),
    "Cost per leaf, in impurity, of scikit-learn's cost-complexity pruning.": (
        "Coste por hoja, en impureza, de la poda por coste-complejidad de scikit-learn.",
        "Custo por folha, em impureza, da poda por custo-complexidade do scikit-learn."),
    "Cut numeric columns only at the edges of this many quantile bins, 2 to 255, which is faster.":
    (
        "Corta las columnas numéricas solo en los bordes de este número de intervalos cuantílicos, "
        "de 2 a 255, lo que es más rápido.",
        "Corta as colunas numéricas só nas bordas deste número de faixas de quantis, de 2 a 255, o "
        "que é mais rápido."),
    "Split a node only if the p-value of a column's best split is at most this, and by the column "
    "with the smallest one.": (
        "Divide un nodo solo si el valor p de la mejor división de una columna no supera este "
        "valor, y por la columna que tenga el menor.",
        "Divide um nó só se o valor p da melhor divisão de uma coluna não passar deste valor, e "
        "pela coluna que tiver o menor."),
    "Threads.": ("Hilos de ejecución.", "Threads de execução."),
    "Where rows with a missing value go.": ("Adónde van las filas con un valor ausente.",
                                            "Para onde vão as linhas com um valor ausente."),
    "What a level does that the node has not seen: go where more rows go, count as missing, be "
    'refused, or end the way with the answer of the root ("default").': (
        "Qué hace un nivel que el nodo no ha visto: ir adonde van más filas, contar como ausente, "
        "ser rechazado, o terminar el camino con la respuesta de la raíz (\"default\").",
        "O que faz um nível que o nó não viu: ir para onde vão mais linhas, contar como ausente, "
        "ser recusado, ou terminar o caminho com a resposta da raiz (\"default\")."),
    "Levels go two ways, or one branch per level.": (
        "Los niveles van por dos ramas, o por una rama cada uno.",
        "Os níveis vão por dois ramos, ou por um ramo cada um."),
    "Runner-up splits kept at each node.": (
        "Divisiones competidoras que se guardan en cada nodo.",
        "Divisões concorrentes guardadas em cada nó."),
    "How the tree is searched for.": ("Cómo se busca el árbol.", "Como a árvore é buscada."),
    "How the size of the tree is chosen.": ("Cómo se elige el tamaño del árbol.",
                                            "Como se escolhe o tamanho da árvore."),
    "What leaves answer.": ("Qué responden las hojas.", "O que as folhas respondem."),
    "Take values from rows that had no say in the splits: the share of the rows kept for them.": (
        "Toma los valores de filas que no intervinieron en las divisiones: la proporción de filas "
        "reservada para ello.",
        "Toma os valores de linhas que não participaram das divisões: a proporção de linhas "
        "reservada para isso."),
    "A model file, as `ceiba learn` writes it.": (
        "Un archivo de modelo, como lo escribe `ceiba learn`.",
        "Um arquivo de modelo, como `ceiba learn` o escreve."),
    "Cost per leaf, in units of the mean risk.": (
        "Coste por hoja, en unidades del riesgo medio.",
        "Custo por folha, em unidades do risco médio."),
    "At most so many leaves.": ("Como máximo, este número de hojas.",
                                "No máximo este número de folhas."),
    "What a leaf is charged against.": ("Frente a qué se carga cada hoja.",
                                        "Contra o que cada folha é cobrada."),
    "A file to write.": ("El archivo que se escribe.", "O arquivo a escrever."),
    "A table with the truth.": ("Una tabla con los valores reales.",
                                "Uma tabela com os valores reais."),
    "Column of the truth.": ("Columna de los valores reales.", "Coluna dos valores reais."),
    "Columns to leave out.": ("Columnas que se excluyen.", "Colunas a excluir."),
    "Columns with levels.": ("Columnas con categorías.", "Colunas com categorias."),
    "Shuffles per size.": ("Repeticiones por tamaño.", "Repetições por tamanho."),
    "An option of the estimator: NAME=VALUE.": ("Una opción del estimador: NOMBRE=VALOR.",
                                                "Uma opção do estimador: NOME=VALOR."),
    "Fold what lies deeper.": ("Pliega lo que está más abajo.", "Recolhe o que está mais abaixo."),
    "Show the nodes' numbers.": ("Muestra los números de los nodos.",
                                 "Mostra os números dos nós."),
    "Show the impurity.": ("Muestra la impureza.", "Mostra a impureza."),
    "Show the class counts.": ("Muestra los recuentos de las clases.",
                               "Mostra as contagens das classes."),
    "Draw with plain characters.": ("Dibuja con caracteres simples.",
                                    "Desenha com caracteres simples."),
    "Show the class shares as bars.": ("Muestra las proporciones de las clases como barras.",
                                       "Mostra as proporções das classes como barras."),
    "A table with rows to follow.": ("Una tabla con filas que seguir.",
                                     "Uma tabela com linhas a seguir."),
    "Follow this row first.": ("Sigue primero esta fila.", "Segue primeiro esta linha."),
    "Sort by this, the largest first.": ("Ordena por esto, de mayor a menor.",
                                         "Ordena por isto, do maior para o menor."),
    "The picture: .png, .svg, .pdf.": ("La imagen: .png, .svg, .pdf.",
                                       "A imagem: .png, .svg, .pdf."),
    "What is drawn.": ("Qué se dibuja.", "O que é desenhado."),
    "Dots per inch of a .png.": ("Puntos por pulgada de un .png.",
                                 "Pontos por polegada de um .png."),
    "The page to write.": ("La página que se escribe.", "A página a escrever."),
    "Held-out rows with the truth.": ("Filas reservadas con los valores reales.",
                                      "Linhas reservadas com os valores reais."),
    "The rows that were learned from: adds their distributions.": (
        "Las filas de entrenamiento: añade sus distribuciones.",
        "As linhas de treino: acrescenta as suas distribuições."),
    "Trust: fit to so many resamples of --train.": (
        "Confianza: ajusta el modelo a este número de remuestras de --train.",
        "Confiança: ajusta o modelo a este número de reamostras de --train."),
    "Trust: other columns that could split this node.": (
        "Confianza: otras columnas que podrían dividir este nodo.",
        "Confiança: outras colunas que poderiam dividir este nó."),
    "Trust: figures per group of --data.": ("Confianza: cifras por grupo de --data.",
                                            "Confiança: valores por grupo de --data."),
    "With --by: the class that rates are about.": (
        "Con --by: la clase a la que se refieren las tasas.",
        "Com --by: a classe a que se referem as taxas."),
    "Trust: later rows beside those of training.": (
        "Confianza: filas posteriores junto a las de entrenamiento.",
        "Confiança: linhas posteriores ao lado das de treino."),
    "Column of --train with weights.": ("Columna de --train con pesos.",
                                        "Coluna de --train com pesos."),
    "Title of the page.": ("Título de la página.", "Título da página."),
    "Language of the page, and of what is printed.": (
        "Idioma de la página y de lo que se imprime.", "Idioma da página e do que é impresso."),
    "Column of the truth, if renamed.": ("Columna de los valores reales, si cambió de nombre.",
                                         "Coluna dos valores reais, se mudou de nome."),
    "Open it in a browser.": ("La abre en un navegador.", "Abre-a em um navegador."),
    "sql, python, c, javascript, json, onnx, pmml, rules, text, dot, ...; by the ending of --out "
    "if not given.": (
        "sql, python, c, javascript, json, onnx, pmml, rules, text, dot, ...; si no se indica, "
        "según la extensión de --out.",
        "sql, python, c, javascript, json, onnx, pmml, rules, text, dot, ...; se não indicado, "
        "conforme a extensão de --out."),
    "Of SQL.": ("De SQL.", "De SQL."),
    "Of SQL: the table.": ("De SQL: la tabla.", "De SQL: a tabela."),
    "Another option of the format: NAME=VALUE.": ("Otra opción del formato: NOMBRE=VALOR.",
                                                  "Outra opção do formato: NOME=VALOR."),
    "Also the probability of each class.": ("También la probabilidad de cada clase.",
                                            "Também a probabilidade de cada classe."),
    "Also the node each row ends in.": ("También el nodo en que termina cada fila.",
                                        "Também o nó em que cada linha termina."),
    "Without the columns of the file.": ("Sin las columnas del archivo.",
                                         "Sem as colunas do arquivo."),
    "Before the names of the new columns.": ("Delante de los nombres de las columnas nuevas.",
                                             "Antes dos nomes das colunas novas."),
    "Rows held in memory at a time.": ("Filas que se tienen en memoria a la vez.",
                                       "Linhas mantidas na memória de cada vez."),
    "Column with weights.": ("Columna con pesos.", "Coluna com pesos."),
    "Column of groups: every figure per group.": ("Columna de grupos: cada cifra por grupo.",
                                                  "Coluna de grupos: cada valor por grupo."),
    "The class that AUC, KS, gains and rates are about.": (
        "La clase a la que se refieren AUC, KS, ganancias y tasas.",
        "A classe a que se referem AUC, KS, ganhos e taxas."),
    "Show the table of gains and lift.": ("Muestra la tabla de ganancias y lift.",
                                          "Mostra a tabela de ganhos e lift."),
    "A table with the row.": ("Una tabla con la fila.", "Uma tabela com a linha."),
    "Which row, counted from 1.": ("Qué fila, contando desde 1.",
                                   "Qual linha, contando a partir de 1."),
    "A value of a row written here: COLUMN=VALUE.": (
        "Un valor de una fila escrita aquí: COLUMNA=VALOR.",
        "Um valor de uma linha escrita aqui: COLUNA=VALOR."),
    "Also how much each column contributed.": ("También cuánto aportó cada columna.",
                                               "Também quanto cada coluna contribuiu."),
    "With --shapley: a table whose rows stand for unknown values.": (
        "Con --shapley: una tabla cuyas filas representan los valores desconocidos.",
        "Com --shapley: uma tabela cujas linhas representam os valores desconhecidos."),
    "The wanted class, or LOW:HIGH for numbers.": (
        "La clase deseada, o BAJO:ALTO para números.",
        "A classe desejada, ou BAIXO:ALTO para números."),
    "A column that may not change.": ("Una columna que no puede cambiar.",
                                      "Uma coluna que não pode mudar."),
    "A column that may only rise.": ("Una columna que solo puede subir.",
                                     "Uma coluna que só pode subir."),
    "A column that may only fall.": ("Una columna que solo puede bajar.",
                                     "Uma coluna que só pode descer."),
    "A level that a column may take: COLUMN=LEVEL. Repeat it.": (
        "Un nivel que puede tomar una columna: COLUMNA=NIVEL. Puede repetirse.",
        "Um nível que uma coluna pode tomar: COLUNA=NÍVEL. Pode ser repetido."),
    "What changing a column costs: COLUMN=NUMBER.": (
        "Lo que cuesta cambiar una columna: COLUMNA=NÚMERO.",
        "O que custa mudar uma coluna: COLUNA=NÚMERO."),
    "What comes first: fewer columns changed, or smaller changes.": (
        "Qué va primero: menos columnas cambiadas, o cambios menores.",
        "O que vem primeiro: menos colunas mudadas, ou mudanças menores."),
    "How many alternatives.": ("Cuántas alternativas.", "Quantas alternativas."),
    "Compare the rates in the leaves too.": ("Compara también las tasas de las hojas.",
                                             "Compara também as taxas das folhas."),
    "Exit code 5 if the PSI is above this.": ("Código de salida 5 si el PSI supera este valor.",
                                              "Código de saída 5 se o PSI passar deste valor."),
    "Write a page that shows both side by side.": (
        "Escribe una página que muestra ambos lado a lado.",
        "Escreve uma página que mostra ambos lado a lado."),
    "How many trees are grown.": ("Cuántos árboles se hacen crecer.",
                                  "Quantas árvores são construídas."),
    "Of the resamples.": ("De las remuestras.", "Das reamostras."),
    "Instead: which other columns could split this node.": (
        "En su lugar: qué otras columnas podrían dividir este nodo.",
        "Em vez disso: quais outras colunas poderiam dividir este nó."),
    "Draw it too (png, svg, pdf).": ("También lo dibuja (png, svg, pdf).",
                                     "Também o desenha (png, svg, pdf)."),
    "One of them.": ("Uno de ellos.", "Um deles."),
    "One of them, from 1 to 8.": ("Una de ellas, de 1 a 8.", "Uma delas, de 1 a 8."),
    "Language of the lesson.": ("Idioma de la lección.", "Idioma da lição."),
    "A folder with the tables that ceiba does not hold (Seattle, water, Hitters).": (
        "Una carpeta con las tablas que ceiba no incluye (Seattle, water, Hitters).",
        "Uma pasta com as tabelas que o ceiba não inclui (Seattle, water, Hitters)."),
    "The notebook to write.": ("El cuaderno que se escribe.", "O notebook a escrever."),
    "Learn from files ('big/*.parquet', 'big/*.csv') that are not read as a whole, within so much "
    "memory: 4GB.": (
        "Aprende de archivos ('big/*.parquet', 'big/*.csv') que no se leen enteros, con esta "
        "memoria como máximo: 4GB.",
        "Aprende de arquivos ('big/*.parquet', 'big/*.csv') que não são lidos por inteiro, com no "
        "máximo esta memória: 4GB."),
    "Address of a Dask scheduler (tcp://host:8786) whose workers read the files.": (
        "Dirección de un planificador de Dask (tcp://host:8786) cuyos procesos leen los archivos.",
        "Endereço de um escalonador do Dask (tcp://host:8786) cujos processos leem os arquivos."),
    "File by which learning is resumed if it ends early; give the same command again.": (
        "Archivo con el que se reanuda el aprendizaje si termina antes de tiempo; repita la misma "
        "orden.",
        "Arquivo com o qual o aprendizado é retomado se terminar antes da hora; repita o mesmo "
        "comando."),
    "Directory for temporary files of --memory.": (
        "Carpeta para los archivos temporales de --memory.",
        "Pasta para os arquivos temporários de --memory."),
    "Folder of picture and report.": ("Carpeta de la imagen y el informe.",
                                      "Pasta da imagem e do relatório."),
}  # fmt: skip
