# Why a node is in its community, in numbers and in words.

cafe_explain <- function(embedding, node, communities) {
  at <- positions(embedding$graph, node)
  if (length(at) != 1L) stop("node: one node")
  part <- if (inherits(communities, "cafe_communities")) communities$membership else communities
  part <- as.integer(factor(part)) - 1L
  part[is.na(part)] <- -1L
  if (length(part) != nrow(embedding$vectors)) stop("communities: one for each node")
  card <- finished(.Call(cafe_r_explain, embedding$run, part, at - 1))
  for (side in c("pulls", "pushes")) {
    card[[side]] <- as.data.frame(card[[side]])
    card[[side]]$node <- embedding$graph$names[card[[side]]$node]
  }
  structure(c(list(node = embedding$graph$names[at]), card), class = "cafe_explanation")
}

print.cafe_explanation <- function(x, ...) {
  cat("Node ", x$node, ": ", x$linked, " neighbours, place ", x$rank, " of ", x$members, " in community ",
      x$community, "\n", sep = "")
  if (!is.na(x$second))
    cat("The next best community is ", x$second, " (", signif(x$second_attachment, 3), " against ",
        signif(x$attachment, 3), ")\n", sep = "")
  held <- x$pulls$node[x$pulls$linked]
  if (length(held)) cat("Neighbours that hold it:", utils::head(held, 5), "\n")
  away <- x$pushes$node[x$pushes$linked]
  if (length(away)) cat("Neighbours that pull it away:", utils::head(away, 5), "\n")
  invisible(x)
}
