# Log-rank tests of all cuts, and exponential trees, by R's survival and rpart.
# Usage: Rscript survival_beside_r.R FOLDER; reads FOLDER/tables.csv, writes the results beside it.
suppressPackageStartupMessages({library(survival); library(rpart)})
folder <- commandArgs(TRUE)[1]

tables <- read.csv(file.path(folder, "tables.csv"))
rows <- list()
for (id in unique(tables$table)) {
  one <- tables[tables$table == id, ]
  one <- one[rep(seq_len(nrow(one)), one$weight), ]
  for (cut in head(sort(unique(one$x)), -1)) {
    chisq <- tryCatch(survdiff(Surv(time, event) ~ (x > cut), data = one)$chisq,
                      error = function(e) NA)  # no event tells the sides apart
    rows[[length(rows) + 1]] <- data.frame(table = id, cut = cut, chisq = chisq)
  }
}
options(digits = 17)
write.csv(do.call(rbind, rows), file.path(folder, "logrank.csv"), row.names = FALSE)

complete <- function(data, time, status, columns) {
  out <- data.frame(data[, columns, drop = FALSE], time = data[[time]], status = as.integer(status))
  for (name in columns) if (is.character(out[[name]])) out[[name]] <- factor(out[[name]])
  out <- out[complete.cases(out), ]
  out[out$time > 0, ]
}
sets <- list(
  lung = complete(lung, "time", lung$status == 2, c("age", "sex", "ph.ecog", "ph.karno", "pat.karno", "meal.cal", "wt.loss")),
  veteran = complete(veteran, "time", veteran$status == 1, c("trt", "celltype", "karno", "diagtime", "age", "prior")),
  pbc = complete(pbc, "time", pbc$status == 2, c("age", "sex", "ascites", "edema", "bili", "albumin", "protime", "stage")),
  ovarian = complete(ovarian, "futime", ovarian$fustat == 1, c("age", "resid.ds", "rx", "ecog.ps")),
  kidney = complete(kidney, "time", kidney$status == 1, c("age", "sex", "disease", "frail")),
  colon = complete(colon[colon$etype == 2, ], "time", colon$status[colon$etype == 2] == 1,
                   c("rx", "sex", "age", "obstruct", "adhere", "nodes", "differ", "extent")),
  gbsg = complete(gbsg, "rfstime", gbsg$status == 1, c("age", "meno", "size", "grade", "nodes", "pgr", "er", "hormon")),
  rotterdam = complete(rotterdam[1:1500, ], "dtime", rotterdam$death[1:1500] == 1, c("age", "meno", "size", "grade", "nodes", "pgr", "er")),
  retinopathy = complete(retinopathy, "futime", retinopathy$status == 1, c("laser", "eye", "age", "type", "trt", "risk")),
  mgus2 = complete(mgus2, "futime", mgus2$death == 1, c("age", "sex", "hgb", "creat", "mspike")),
  stanford2 = complete(stanford2, "time", stanford2$status == 1, c("age", "t5")),
  stagec = complete(stagec, "pgtime", stagec$pgstat == 1, c("age", "eet", "g2", "grade", "gleason", "ploidy")))
for (name in names(sets)) write.csv(sets[[name]], file.path(folder, paste0("data_", name, ".csv")), row.names = FALSE)
for (file in list.files(folder, "^more_.*csv$"))
  sets[[sub(".csv", "", file)]] <- read.csv(file.path(folder, file), stringsAsFactors = TRUE)
for (name in names(sets)) {
  tree <- rpart(Surv(time, status) ~ ., data = sets[[name]], method = "exp",
                control = rpart.control(cp = 0, xval = 0, maxcompete = 0, maxsurrogate = 0, maxdepth = 6))
  frame <- data.frame(var = as.character(tree$frame$var), n = tree$frame$n, yval = tree$frame$yval2[, 1])
  write.csv(format(frame, digits = 17), file.path(folder, paste0("frame_", name, ".csv")), row.names = FALSE)
  write.csv(format(as.data.frame(tree$cptable), digits = 17), file.path(folder, paste0("cp_", name, ".csv")), row.names = FALSE)
}
