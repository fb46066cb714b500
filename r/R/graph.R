# Graphs: from edges in data frames and matrices, sparse matrices, igraph objects and files.

#' Interrupted calls return NULL: the interrupt goes on as R's own.
finished <- function(found) {
  if (is.null(found)) {
    signalCondition(structure(class = c("interrupt", "condition"), list(message = "interrupted", call = NULL)))
    invokeRestart("abort")
  }
  found
}

rules <- c("no", "sum", "cocitation", "flow")

cafe_graph <- function(x, directed = c("no", "sum", "cocitation", "flow"), source = NULL, target = NULL,
                       weight = NULL, delimiter = NULL) {
  if (inherits(x, "cafe_graph")) return(x)
  rule <- match(match.arg(directed), rules) - 1L
  columns <- lapply(Filter(Negate(is.null), list(source = source, target = target, weight = weight,
                                                 delimiter = delimiter)), as.character)
  if (is.character(x) && length(x) == 1L) return(from_file(x, columns, rule))
  if (inherits(x, "igraph")) return(from_igraph(x, rule))
  if (methods::is(x, "sparseMatrix") || (is.matrix(x) && is.numeric(x) && nrow(x) == ncol(x) && nrow(x) != 2L))
    return(from_matrix(x, rule))
  if (is.data.frame(x) || (is.matrix(x) && ncol(x) %in% 2:3)) return(from_table(as.data.frame(x), columns, rule))
  stop("x: expected a file name, a data frame of edges, a square matrix or an igraph object")
}

new_graph <- function(pointer, names = NULL) {
  graph <- structure(list(pointer = finished(pointer)), class = "cafe_graph")
  info <- .Call(cafe_r_graph_info, graph$pointer)
  if (nzchar(info$warning)) warning(info$warning, call. = FALSE)
  graph$names <- if (is.null(names)) .Call(cafe_r_graph_names, graph$pointer) else names
  graph
}

from_file <- function(path, columns, rule) {
  new_graph(.Call(cafe_r_graph_file, path, columns, rule))
}

numbers_of <- function(x) {
  if (is.null(x)) return(NULL)
  if (!is.numeric(x)) stop("weights are no numbers")
  as.double(x)
}

# from, to: names of any kind. Nodes stand in the order of the tool: numbers ascending, texts by first appearance;
# factors by their levels.
from_names <- function(from, to, weights, rule, all = NULL) {
  if (anyNA(from) || anyNA(to)) stop("an end of an edge is missing (NA)")
  if (is.null(all) && is.numeric(from) && is.numeric(to)) {
    ids <- sort(unique(c(from, to)))
    return(edges(length(ids), match(from, ids) - 1L, match(to, ids) - 1L, weights, format_ids(ids), rule))
  }
  if (is.null(all)) {
    all <- if (is.factor(from) && is.factor(to) && identical(levels(from), levels(to))) levels(from)
           else unique(as.character(rbind(as.character(from), as.character(to))))
  }
  edges(length(all), match(as.character(from), all) - 1L, match(as.character(to), all) - 1L, weights, all, rule)
}

format_ids <- function(x) sprintf("%.15g", x)

edges <- function(nodes, from, to, weights, names, rule) {
  plain <- is.null(names) || identical(names, as.character(seq_len(nodes) - 1L))
  new_graph(.Call(cafe_r_graph_edges, as.double(nodes), as.integer(from), as.integer(to), numbers_of(weights),
                  if (plain) NULL else enc2utf8(names), rule), names)
}

column <- function(table, given, default) {
  if (is.null(given)) return(if (is.null(default)) NULL else table[[default]])
  if (!given %in% names(table)) stop("no column ", given, " in the table")
  table[[given]]
}

from_table <- function(table, columns, rule) {
  named <- intersect(c("weight", "weights"), tolower(names(table)))
  third <- if (length(named)) match(named[1], tolower(names(table))) else NULL
  if (is.null(columns$weight) && is.null(third) && ncol(table) > 2L)
    stop("which column is the weight? give weight =, or only the two columns of the nodes")
  from_names(column(table, columns$source, 1L), column(table, columns$target, 2L),
             column(table, columns$weight, third), rule)
}

# The slots of a sparse matrix are used where they are.
from_sparse <- function(x, rule) {
  half <- methods::is(x, "generalMatrix") && rule == 0L
  if (half && !Matrix::isSymmetric(x, checkDN = FALSE))
    stop("the matrix is not symmetric: directed = \"sum\" or another rule says what directions mean")
  if (methods::is(x, "symmetricMatrix") && rule != 0L) return(from_matrix(x, rule))
  names <- if (is.null(rownames(x))) as.character(seq_len(nrow(x))) else rownames(x)
  weights <- if (methods::.hasSlot(x, "x") && is.numeric(x@x) && any(x@x != 1)) as.double(x@x)
  new_graph(.Call(cafe_r_graph_sparse, x@p, x@i, weights, enc2utf8(names), half, rule), names)
}

from_matrix <- function(x, rule) {
  if (nrow(x) != ncol(x)) stop("an adjacency matrix is square")
  if (methods::is(x, "CsparseMatrix") && !methods::is(x, "triangularMatrix") && !(methods::.hasSlot(x, "x") && is.logical(x@x)))
    return(from_sparse(x, rule))
  x <- methods::as(methods::as(x, "TsparseMatrix"), "generalMatrix")
  weights <- if (methods::.hasSlot(x, "x")) x@x else rep(1, length(x@i))
  keep <- if (rule == 0L) x@i <= x@j else rep(TRUE, length(x@i))
  symmetric <- rule != 0L || Matrix::isSymmetric(x)
  if (!symmetric) stop("the matrix is not symmetric: directed = \"sum\" or another rule says what directions mean")
  plain <- all(weights == 1)
  edges(nrow(x), x@i[keep], x@j[keep], if (plain) NULL else as.double(weights[keep]),
        if (is.null(rownames(x))) as.character(seq_len(nrow(x))) else rownames(x), rule)
}

from_igraph <- function(x, rule) {
  if (!requireNamespace("igraph", quietly = TRUE)) stop("the package igraph is missing")
  ends <- igraph::as_edgelist(x, names = FALSE)
  weights <- if ("weight" %in% igraph::edge_attr_names(x)) igraph::edge_attr(x, "weight")
  names <- if ("name" %in% igraph::vertex_attr_names(x)) igraph::vertex_attr(x, "name")
           else as.character(seq_len(igraph::vcount(x)))
  edges(igraph::vcount(x), ends[, 1] - 1L, ends[, 2] - 1L, weights, as.character(names), rule)
}

dim.cafe_graph <- function(x) rep(length(x$names), 2L)

summary.cafe_graph <- function(object, ...) .Call(cafe_r_graph_info, object$pointer)

print.cafe_graph <- function(x, ...) {
  info <- summary(x)
  cat("Cafe graph: ", format(info$nodes, big.mark = ","), " nodes, ", format(info$edges, big.mark = ","),
      if (info$weighted) " weighted", " edges\n", sep = "")
  if (nzchar(info$reading)) cat(info$reading, "\n", sep = "")
  invisible(x)
}

# Numbers of nodes, from names or numbers.
positions <- function(graph, nodes) {
  at <- if (is.numeric(nodes)) as.integer(nodes) else match(as.character(nodes), graph$names)
  wrong <- is.na(at) | at < 1L | at > length(graph$names)
  if (any(wrong)) stop("no node ", paste(utils::head(nodes[wrong], 3), collapse = ", "))
  at
}
