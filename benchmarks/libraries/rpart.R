# Grow one rpart tree and say how long it took. Called by rpart.py:
#   Rscript rpart.R <folder> <rows> <columns> <method> name=value ...
# In the folder: X.bin (float64, column by column), y.bin (float64). Out: a line of JSON, where.bin.

suppressPackageStartupMessages(library(rpart))
words <- commandArgs(trailingOnly = TRUE)
folder <- words[1]
rows <- as.integer(words[2])
columns <- as.integer(words[3])
method <- words[4]
pairs <- strsplit(words[-(1:4)], "=")
options <- setNames(lapply(pairs, function(p) as.numeric(p[2])), sapply(pairs, `[`, 1))

X <- matrix(readBin(file.path(folder, "X.bin"), "double", rows * columns), rows)
frame <- as.data.frame(X)
y <- readBin(file.path(folder, "y.bin"), "double", rows)
frame$y <- if (method == "class") factor(y) else y
rm(X, y)

grow <- function(table) rpart(y ~ ., table, method = method, control = do.call(rpart.control, options))
invisible(grow(frame[1:200, ]))
taken <- system.time(model <- grow(frame))

writeBin(as.integer(model$where), file.path(folder, "where.bin"))
cat(sprintf('{"cpu": %.6f, "wall": %.6f, "n_leaves": %d}\n',
  taken[["user.self"]] + taken[["sys.self"]], taken[["elapsed"]], sum(model$frame$var == "<leaf>")))
