# Runs: vectors and communities.

# set.seed() decides unless a seed is given.
seed_of <- function(seed) {
  if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else as.double(seed)
}

# Options by name as the tool calls them: output_form = "walk" is --output-form walk.
texts_of <- function(options) {
  if (length(options) && (is.null(names(options)) || any(!nzchar(names(options)))))
    stop("every option has a name, as resolution = 2")
  value <- function(x) if (is.logical(x)) c("no", "yes")[x + 1L] else format(x, digits = 15, scientific = FALSE)
  list(names = gsub("_", "-", as.character(names(options))), values = as.character(vapply(options, value, "")))
}

# Messages name options neutrally, in quotes of their own.
in_r <- function(text) gsub("_$", "", gsub("\u2018([a-z-]+)\u2019", "\\1 =", gsub("\u2018([a-z-]+)=([^\u2019]*)\u2019", "\\1 = \"\\2\"", text)))

run <- function(graph, clusters, method, options, start = NULL, labels = NULL, classes = character(),
                seed, threads) {
  if (!is.character(method) || length(method) != 1L) stop("method: expected the name of a method")
  given <- texts_of(options)
  found <- withCallingHandlers(
    .Call(cafe_r_run, graph$pointer, clusters, method, given$names, given$values, start, labels, classes,
          seed_of(seed), as.integer(threads)),
    error = function(e) stop(in_r(conditionMessage(e)), call. = FALSE))
  found <- finished(found)
  for (text in found$warnings) warning(in_r(text), call. = FALSE)
  found
}

# Classes of the nodes from 0, -1 where none is known; a named vector goes by names.
classes_of <- function(graph, labels) {
  if (!is.null(names(labels))) {
    at <- positions(graph, names(labels))
    all <- factor(rep(NA, length(graph$names)), levels = levels(factor(labels)))
    all[at] <- as.character(labels)
  } else {
    if (length(labels) != length(graph$names))
      stop("labels: one for each of the ", length(graph$names), " nodes (NA: not known), or with names")
    all <- factor(labels)
  }
  list(number = ifelse(is.na(all), -1L, as.integer(all) - 1L), names = levels(all))
}

cafe_embed <- function(graph, columns = 128, method = "sphere", ..., labels = NULL, seed = NULL, threads = 0) {
  graph <- cafe_graph(graph)
  known <- if (is.null(labels)) NULL else classes_of(graph, labels)
  found <- run(graph, FALSE, method, c(list(columns = columns), list(...)), labels = known$number,
               classes = if (is.null(known)) character() else known$names, seed = seed, threads = threads)
  dimnames(found$vectors) <- list(graph$names, paste0("x", seq_len(ncol(found$vectors)) - 1L))
  structure(c(found, list(graph = graph, method = method)), class = "cafe_embedding")
}

as.matrix.cafe_embedding <- function(x, ...) x$vectors

print.cafe_embedding <- function(x, ...) {
  cat("Cafe vectors (", x$method, "): ", nrow(x$vectors), " nodes, ", ncol(x$vectors), " columns\n", sep = "")
  shown <- utils::head(seq_along(x$ritz_values), 6L)
  if (length(shown)) {
    cat("An eigenvalue lies within the residual of each Ritz value:\n")
    print(rbind("Ritz value" = signif(x$ritz_values[shown], 4), residual = signif(x$residuals[shown], 2)))
  }
  invisible(x)
}

summary.cafe_embedding <- function(object, ...) {
  structure(data.frame(ritz_value = object$ritz_values, residual = object$residuals), class = c("summary.cafe_embedding", "data.frame"))
}

print.summary.cafe_embedding <- function(x, ...) {
  print.data.frame(x, ...)
}

plot.cafe_embedding <- function(x, columns = c(1, 2), communities = NULL, names = nrow(x$vectors) <= 100, ...) {
  colour <- if (is.null(communities)) 1L else {
    part <- if (inherits(communities, "cafe_communities")) communities$membership else communities
    grDevices::palette.colors(9L, "Okabe-Ito")[(as.integer(factor(part)) - 1L) %% 9L + 1L]
  }
  at <- x$vectors[, columns]
  graphics::plot(at, col = colour, pch = 19, ...)
  if (names) graphics::text(at, labels = rownames(x$vectors), pos = 4, cex = 0.7)
  invisible(x)
}

cafe_cluster <- function(graph, resolution = 1, method = "layers", ..., start = NULL, seed = NULL, threads = 0) {
  graph <- cafe_graph(graph)
  begin <- if (is.null(start)) NULL else classes_of(graph, start)$number
  found <- run(graph, TRUE, method, c(if (method == "layers") list(resolution = resolution), list(...)),
               start = begin, seed = seed, threads = threads)
  names(found$membership) <- graph$names
  found$layers <- lapply(found$layers, function(part) stats::setNames(part, graph$names))
  structure(c(found, list(graph = graph, method = method)), class = "cafe_communities")
}

members <- function(communities) split(names(communities$membership), communities$membership)

summary.cafe_communities <- function(object, ...) table(community = object$membership)

# Sizes, the largest first.
plot.cafe_communities <- function(x, xlab = "community", ylab = "nodes", ...) {
  graphics::barplot(sort(table(x$membership), decreasing = TRUE), xlab = xlab, ylab = ylab, ...)
  invisible(x)
}

print.cafe_communities <- function(x, ...) {
  sizes <- sort(table(x$membership), decreasing = TRUE)
  cat("Cafe communities: ", length(sizes), " of ", length(x$membership), " nodes, modularity ", signif(x$modularity, 6), "\n", sep = "")
  if (isTRUE(x$proved)) cat("Proved optimal: no partition has a larger modularity.\n")
  else if (!is.na(x$bound)) cat("No partition has more than ", signif(x$bound, 6), ".\n", sep = "")
  cat("Sizes:", utils::head(as.integer(sizes), 12L), if (length(sizes) > 12L) "...", "\n")
  invisible(x)
}

as_igraph_communities <- function(communities, graph) {
  if (!requireNamespace("igraph", quietly = TRUE)) stop("the package igraph is missing")
  igraph::make_clusters(graph, membership = unname(communities$membership), algorithm = "cafe",
                        modularity = communities$modularity)
}
