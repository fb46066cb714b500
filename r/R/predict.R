# Labels of all nodes from those of some.

predictors <- c("auto", "smoothed", "classifier", "propagation", "cafe", "absorbing", "combined")

cafe_predict <- function(graph, labels, by = c("auto", "smoothed", "classifier", "propagation", "cafe",
                         "absorbing", "combined"), seed = NULL, threads = 0) {
  graph <- cafe_graph(graph)
  known <- classes_of(graph, labels)
  if (all(known$number < 0)) stop("labels: no node has a class")
  by <- match(match.arg(by), predictors) - 1L
  found <- finished(.Call(cafe_r_predict, graph$pointer, known$number, length(known$names), by, seed_of(seed),
                          as.integer(threads)))
  if (nzchar(found$warning)) warning(found$warning, call. = FALSE)
  dimnames(found$probabilities) <- list(graph$names, known$names)
  best <- factor(known$names[max.col(found$probabilities, ties.method = "first")], levels = known$names)
  found$labels <- stats::setNames(best, graph$names)
  found$known <- known$number >= 0
  structure(found, class = "cafe_prediction")
}

predict.cafe_prediction <- function(object, nodes = NULL, type = c("class", "prob"), ...) {
  at <- if (is.null(nodes)) which(!object$known) else positions(list(names = names(object$labels)), nodes)
  if (match.arg(type) == "class") object$labels[at] else object$probabilities[at, , drop = FALSE]
}

# The nodes without a label, by predicted class, with the mean probability of that class.
summary.cafe_prediction <- function(object, ...) {
  at <- which(!object$known)
  best <- object$probabilities[cbind(at, as.integer(object$labels[at]))]
  nodes <- table(object$labels[at])
  data.frame(class = names(nodes), nodes = as.integer(nodes),
             probability = as.vector(tapply(best, object$labels[at], mean)))
}

print.cafe_prediction <- function(x, ...) {
  cat("Cafe prediction (", x$predictor, "): ", sum(!x$known), " nodes from ", sum(x$known), " with a label, ",
      ncol(x$probabilities), " classes\n", sep = "")
  if (!is.na(x$accuracy))
    cat("Expected accuracy ", signif(x$accuracy, 3), " +- ", signif(x$error, 2), ", log loss ", signif(x$log_loss, 3),
        ", from ", x$held_out, " held-out nodes\n", sep = "")
  invisible(x)
}
