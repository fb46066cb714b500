# Everything about a graph, as text and as a page.

cafe_report <- function(graph, file = NULL, labels = NULL, title = "Graph", overwrite = FALSE, seed = NULL) {
  graph <- cafe_graph(graph)
  known <- if (is.null(labels)) NULL else classes_of(graph, labels)
  text <- finished(.Call(cafe_r_report, graph$pointer, enc2utf8(title), known$number,
                         if (is.null(known)) character() else known$names, file, overwrite, seed_of(seed)))
  report <- structure(list(text = text, file = file), class = "cafe_report")
  if (is.null(file)) report else invisible(report)
}

print.cafe_report <- function(x, ...) {
  cat(x$text)
  invisible(x)
}
