"""The most usual messages about mistakes, in Spanish and Brazilian Portuguese; see `phrases`."""

from __future__ import annotations

from typing import Final

#: (pattern, Spanish, Portuguese). A message begins with the name of the program.
MISTAKE_PHRASES: Final[tuple[tuple[str, str, str], ...]] = (
    (r"^ceiba: The file ('.*?') is not there\.", r"ceiba: No existe el archivo \1.",
     r"ceiba: O arquivo \1 não existe."),
    (r"^ceiba: Cannot read the model file ('.*?'): No such file or directory\.",
     r"ceiba: No existe el archivo del modelo \1.",
     r"ceiba: O arquivo do modelo \1 não existe."),
    (r"^ceiba: (\S+): This is not a model file, or it is cut off: .*$",
     r"ceiba: \1 no es un archivo de modelo, o está cortado.",
     r"ceiba: \1 não é um arquivo de modelo, ou está cortado."),
    (r"^ceiba: (--\S+ '.*?'): (.+?) has no such column\.", r"ceiba: \1: \2 no tiene esa columna.",
     r"ceiba: \1: \2 não tem essa coluna."),
    (r"^ceiba: (--\S+ '.*?'): there is no such column\.", r"ceiba: \1: no existe esa columna.",
     r"ceiba: \1: essa coluna não existe."),
    (r"^ceiba: The table has no column ('.*?'), which the model needs\.",
     r"ceiba: La tabla no tiene la columna \1, que el modelo necesita.",
     r"ceiba: A tabela não tem a coluna \1, de que o modelo precisa."),
    (r"^ceiba: (--\S+) must be a whole number of at least (\S+)\. Got (.+) instead\.",
     r"ceiba: \1 debe ser un número entero de al menos \2, no \3.",
     r"ceiba: \1 deve ser um número inteiro de pelo menos \2, não \3."),
    (r"^ceiba: (--\S+) must be ([\w, ]+?) or (\w+)\. Got ('.*?') instead\.",
     r"ceiba: \1 debe ser \2 o \3, no \4.", r"ceiba: \1 deve ser \2 ou \3, não \4."),
    (r"^ceiba: (--\S+ '.*?')\. Known are (.+?)\.", r"ceiba: \1 no se conoce. Valores: \2.",
     r"ceiba: \1 não é conhecido. Valores: \2."),
    (r"^ceiba: (\S+) has (\d+) rows; there is no row (\d+)\.",
     r"ceiba: \1 tiene \2 filas; no hay fila \3.", r"ceiba: \1 tem \2 linhas; não há linha \3."),
    (r"^ceiba: (--\S+ \S+): there is no folder ('.*?')\. Make it first\.",
     r"ceiba: \1: no existe la carpeta \2. Créela antes.",
     r"ceiba: \1: a pasta \2 não existe. Crie-a antes."),
    (r"^ceiba: (.*), column ('.*?'): ('.*?') is not a number\. Correct it, or say that it means "
     r"missing with --missing-marker\.",
     r"ceiba: \1, columna \2: \3 no es un número. Corríjalo, o indique que es un valor ausente con "
     r"--missing-marker.",
     r"ceiba: \1, coluna \2: \3 não é um número. Corrija-o, ou indique que é um valor ausente com "
     r"--missing-marker."),
    (r"^(ceiba: .*) Did you mean ('.*?')\?", r"\1 ¿Quiso decir \2?", r"\1 Você quis dizer \2?"),
    (r"^(ceiba: .*\?) It has (.+)\.$", r"\1 Tiene \2.", r"\1 Tem \2."),
    (r"^ceiba: interrupted; no file was changed$",
     "ceiba: interrumpido; no se cambió ningún archivo",
     "ceiba: interrompido; nenhum arquivo foi alterado"),
)  # fmt: skip
