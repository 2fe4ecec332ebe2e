# Twelve models of rpart's vignettes: data, frame and cptable of each, as CSV files in a folder. Fold i of ten has the
# rows i, i + 10, ... of the data, so that cross-validated errors can be compared.
suppressMessages({library(rpart); library(survival)})
folder <- commandArgs(TRUE)[1]
models <- list(
  kyphosis = list(Kyphosis ~ Age + Number + Start, kyphosis, "class", NULL, NULL),
  kyphosis_prior = list(Kyphosis ~ Age + Number + Start, kyphosis, "class",
                        list(prior = c(.65, .35), split = "information"), NULL),
  kyphosis_loss = list(Kyphosis ~ Age + Number + Start, kyphosis, "class",
                       list(loss = matrix(c(0, 3, 4, 0), byrow = TRUE, nrow = 2)), NULL),
  stagec_class = list(progstat ~ age + eet + g2 + grade + gleason + ploidy, NULL, "class", NULL, NULL),
  stagec_prior = list(progstat ~ age + eet + g2 + grade + gleason + ploidy, NULL, "class",
                      list(prior = c(.5, .5)), NULL),
  cu = list(Price ~ Mileage + Type + Country, cu.summary, "anova", NULL, NULL),
  car = list(Mileage ~ Weight, car.test.frame, "anova", NULL, NULL),
  car_all = list(Mileage ~ Price + Country + Reliability + Type + Weight + Disp. + HP,
                 car.test.frame, "anova", NULL, list(cp = 0.001)),
  car90 = list(Price ~ Weight + Disp + HP + Type + Tank + Turning, car90, "anova", NULL, NULL),
  solder = list(skips ~ Opening + Solder + Mask + PadType + Panel, solder.balance, "poisson", NULL,
                list(cp = 0.05)),
  stagec_exp = list(Surv(pgtime, pgstat) ~ age + eet + g2 + grade + gleason + ploidy, stagec, "exp",
                    NULL, NULL),
  stagec_exp_deep = list(Surv(pgtime, pgstat) ~ age + g2 + grade + gleason, stagec, "exp", NULL,
                         list(cp = 0.005, minsplit = 10))
)
sg <- stagec
sg$progstat <- factor(sg$pgstat, levels = 0:1, labels = c("No", "Prog"))
for (name in names(models)) {
  m <- models[[name]]
  data <- if (is.null(m[[2]])) sg else m[[2]]
  args <- list(m[[1]], data = data, method = m[[3]], control = do.call(rpart.control, c(list(xval = rep(1:10, length.out = nrow(data))), m[[5]])))
  if (!is.null(m[[4]])) args$parms <- m[[4]]
  fit <- do.call(rpart, args)
  f <- fit$frame
  out <- data.frame(number = as.integer(row.names(f)), var = as.character(f$var), n = f$n, wt = f$wt,
                    dev = f$dev, complexity = f$complexity)
  if (m[[3]] == "class") {
    out$yval <- attr(fit, "ylevels")[f$yval]
    k <- length(attr(fit, "ylevels"))
    for (j in 1:k) out[[paste0("p", j)]] <- f$yval2[, 1 + k + j]
  } else if (m[[3]] == "anova") out$yval <- f$yval else out$yval <- f$yval2[, 1]
  write.csv(format(out, digits = 17), file.path(folder, paste0(name, ".frame.csv")), row.names = FALSE)
  write.csv(format(as.data.frame(fit$cptable), digits = 17),
            file.path(folder, paste0(name, ".cp.csv")), row.names = FALSE)
  writeLines(c(capture.output(print(fit)), "-----", capture.output(printcp(fit)), "-----", capture.output(summary(fit))),
             file.path(folder, paste0(name, ".txt")))
  for (v in names(data)) if (is.factor(data[[v]])) data[[v]] <- as.character(data[[v]])
  write.csv(data, file.path(folder, paste0(name, ".data.csv")), row.names = FALSE, na = "")
  for (v in names(data)) invisible()
  levels <- lapply(if (is.null(m[[2]])) sg else m[[2]], function(v) if (is.factor(v))
    c(if (is.ordered(v)) "ordered" else "factor", levels(v)) else character(0))
  writeLines(unlist(lapply(names(levels), function(v) if (length(levels[[v]]))
    paste(c(v, levels[[v]]), collapse = "\t"))), file.path(folder, paste0(name, ".levels.txt")))
  if (name == "kyphosis_loss") {
    loss <- m[[4]]$loss
    truth <- as.integer(kyphosis$Kyphosis)
    held_out <- xpred.rpart(fit, xval = rep(1:10, length.out = nrow(data)))
    cost <- function(L) apply(held_out, 2, function(p) sum(L[cbind(truth, p)])) / fit$frame$dev[1]
    write.csv(format(data.frame(loss = cost(loss), transposed = cost(t(loss))), digits = 17),
              file.path(folder, "xpred.csv"), row.names = FALSE)
  }
  if (name == "kyphosis") {
    p <- prune(fit, cp = 0.1)
    write.csv(data.frame(number = as.integer(row.names(p$frame))), file.path(folder, "prune.csv"), row.names = FALSE)
    write.csv(format(as.data.frame(predict(fit, type = "matrix")), digits = 17), file.path(folder, "matrix.csv"), row.names = FALSE)
    write.csv(data.frame(usual = residuals(fit), pearson = residuals(fit, type = "pearson"),
                         deviance = residuals(fit, type = "deviance")), file.path(folder, "residuals.csv"), row.names = FALSE)
  }
}
