karate <- data.frame(
  from = c(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,3,3,3,4,4,5,5,5,6,8,8,8,9,13,14,14,15,15,18,18,
           19,20,20,22,22,23,23,23,23,23,24,24,24,25,26,26,27,28,28,29,29,30,30,31,31,32),
  to = c(1,2,3,4,5,6,7,8,10,11,12,13,17,19,21,31,2,3,7,13,17,19,21,30,3,7,8,9,13,27,28,32,7,12,13,6,10,6,10,16,16,30,32,33,33,
         33,32,33,32,33,32,33,33,32,33,32,33,25,27,29,32,33,25,27,31,31,29,33,33,31,33,32,33,32,33,32,33,33))

test_that("the rows of Q's columns satisfy the certificate", {
  a <- matrix(0, 34, 34)
  g <- cafe_graph(karate)
  at <- function(x) match(as.character(x), g$names)
  a[cbind(at(karate$from), at(karate$to))] <- 1
  a <- a + t(a)
  e <- cafe_embed(g, columns = 4, output_form = "ritz", degree_exponent = 0, seed = 1)
  q <- a / sum(a) - outer(rowSums(a), rowSums(a)) / sum(a)^2
  values <- eigen(q, symmetric = TRUE)$values
  for (j in seq_along(e$ritz_values))
    expect_lte(min(abs(values - e$ritz_values[j])), e$residuals[j] + 1e-12)
})

test_that("modularity is that of its definition, and proved", {
  p <- cafe_cluster(karate, seed = 1, bound = TRUE)
  part <- p$membership
  ends <- cbind(part[as.character(karate$from)], part[as.character(karate$to)])
  degree <- table(factor(c(ends), levels = sort(unique(part))))
  q <- mean(ends[, 1] == ends[, 2]) - sum((degree / sum(degree))^2)
  expect_equal(p$modularity, as.numeric(q), tolerance = 1e-9)
  expect_true(p$proved)
  expect_equal(p$bound, p$modularity, tolerance = 1e-9)
  expect_setequal(unlist(members(p)), as.character(0:33))
})

test_that("all inputs are the same graph", {
  one <- cafe_embed(karate, columns = 4, seed = 1)$vectors
  file <- tempfile(fileext = ".csv")
  utils::write.csv(karate, file, row.names = FALSE)
  two <- cafe_embed(cafe_graph(file), columns = 4, seed = 1)$vectors
  expect_identical(one[rownames(two), ], two)
  wide <- Matrix::sparseMatrix(i = c(karate$from, karate$to) + 1, j = c(karate$to, karate$from) + 1, x = 1)
  three <- cafe_embed(wide, columns = 4, seed = 1)$vectors
  expect_equal(dim(three), c(34L, 4L))
  expect_equal(summary(cafe_graph(wide))$edges, 78)
})

test_that("igraph goes in and out", {
  skip_if_not_installed("igraph")
  g <- igraph::graph_from_data_frame(karate, directed = FALSE)
  p <- cafe_cluster(g, seed = 1)
  back <- as_igraph_communities(p, g)
  expect_s3_class(back, "communities")
  expect_equal(igraph::modularity(g, igraph::membership(back)), p$modularity, tolerance = 1e-9)
})

test_that("set.seed decides, and threads do not", {
  set.seed(7)
  a <- cafe_embed(karate, 4)$vectors
  set.seed(7)
  b <- cafe_embed(karate, 4, threads = 2)$vectors
  expect_identical(a, b)
  expect_false(identical(a, cafe_embed(karate, 4)$vectors))
})

test_that("labels are predicted, by name and by position", {
  known <- c("0" = "h", "1" = "h", "33" = "j", "32" = "j")
  found <- suppressWarnings(cafe_predict(karate, known, seed = 1))
  guess <- predict(found)
  expect_length(guess, 30)
  expect_equal(as.character(guess["2"]), "h")
  expect_equal(as.character(guess["30"]), "j")
  expect_equal(unname(rowSums(found$probabilities)), rep(1, 34), tolerance = 1e-5)
  all <- factor(ifelse(found$known, as.character(found$labels), NA))
  expect_identical(suppressWarnings(cafe_predict(karate, all, seed = 1))$probabilities, found$probabilities)
})

test_that("explanations name neighbours", {
  card <- cafe_explain(cafe_embed(karate, 8, seed = 1), "33", cafe_cluster(karate, seed = 1))
  linked <- card$pulls$node[card$pulls$linked]
  friends <- c(karate$from[karate$to == 33], karate$to[karate$from == 33])
  expect_true(all(linked %in% as.character(friends)))
  expect_equal(card$linked, length(friends))
  expect_gt(card$attachment, card$second_attachment)
})

test_that("communities keep their numbers", {
  p <- cafe_cluster(karate, seed = 1)
  expect_identical(cafe_cluster(karate, seed = 5, start = p$membership)$membership, p$membership)
})

test_that("what is wrong is refused, with R's names of options", {
  expect_error(cafe_embed(karate, colums = 3), "no option 'colums'")
  expect_error(cafe_embed(karate, columns = -3), "columns = takes")
  expect_error(cafe_graph("no-such-file"), "No such file")
  expect_error(cafe_graph(data.frame(a = 1:2, b = 2:3, c = 1:2)), "which column is the weight")
  expect_error(cafe_graph(matrix(c(0, 1, 0, 0, 0, 0, 0, 0, 0), 3)), "not symmetric")
  expect_error(cafe_predict(karate, c("99" = "a")), "no node 99")
  expect_error(cafe_embed(karate, 3, 1), "method")
})

test_that("objects of another session say so", {
  file <- tempfile()
  saveRDS(cafe_graph(karate), file)
  expect_error(cafe_embed(readRDS(file), 2), "another R session")
})

test_that("sparse matrices are read in place, with all their kinds", {
  pairs <- cbind(karate$from, karate$to) + 1
  weights <- seq_len(nrow(pairs)) / 8
  n <- 34
  full <- Matrix::sparseMatrix(i = c(pairs), j = c(pairs[, 2:1]), x = c(weights, weights), dims = c(n, n))
  expected <- cafe_embed(data.frame(pairs, weight = weights), 4, seed = 1)$vectors
  half <- Matrix::sparseMatrix(i = pmin(pairs[, 1], pairs[, 2]), j = pmax(pairs[, 1], pairs[, 2]), x = weights,
                               dims = c(n, n), symmetric = TRUE)
  for (m in list(full, half, as(full, "TsparseMatrix"), as(full, "RsparseMatrix"), as.matrix(full)))
    expect_identical(unname(cafe_embed(m, 4, seed = 1)$vectors), unname(expected))
  ones <- cafe_embed(data.frame(pairs), 4, seed = 1)$vectors
  for (m in list(as(full, "nMatrix"), as(full, "lMatrix"), as(half, "nMatrix")))
    expect_identical(unname(cafe_embed(m, 4, seed = 1)$vectors), unname(ones))
  one_way <- Matrix::sparseMatrix(i = pairs[, 1], j = pairs[, 2], x = weights, dims = c(n, n))
  expect_error(cafe_graph(one_way), "not symmetric")
  expect_identical(unname(cafe_embed(cafe_graph(one_way, directed = "sum"), 4, seed = 1)$vectors), unname(expected))
  dimnames(full) <- list(paste0("p", 1:n), NULL)
  expect_identical(cafe_graph(full)$names, paste0("p", 1:n))
})

test_that("factors keep their levels, and nodes without an edge stay", {
  levels <- c("z", "b", "a", "alone")
  g <- cafe_graph(data.frame(from = factor(c("a", "b"), levels), to = factor(c("b", "z"), levels)))
  expect_identical(g$names, levels)
  expect_identical(dim(g), c(4L, 4L))
  known <- factor(c("yes", NA, "no", NA), levels = c("yes", "no"))
  found <- suppressWarnings(cafe_predict(g, known, seed = 1))
  expect_identical(levels(predict(found)), c("yes", "no"))
  counts <- summary(found)
  expect_equal(sum(counts$nodes), 2)
})

test_that("a report is text, and a page or Markdown in a file", {
  report <- cafe_report(karate, title = "Karate", seed = 1)
  expect_match(report$text, "^# Karate")
  expect_match(report$text, "It is proved that no other partition has more", fixed = TRUE)
  expect_output(print(report), "34 nodes, 78 edges")
  for (ending in c(".md", ".html")) {
    file <- tempfile(fileext = ending)
    cafe_report(karate, file, labels = c("0" = "Hi", "33" = "Officer"), title = "Karate", seed = 1)
    expect_gt(file.size(file), if (ending == ".md") 1000 else 50000)
    expect_error(cafe_report(karate, file, seed = 1), "exist")
  }
})

test_that("communities and vectors are drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  p <- cafe_cluster(karate, seed = 1)
  expect_invisible(plot(p))
  expect_invisible(plot(cafe_embed(karate, 2, seed = 1), communities = p))
})

test_that("an interrupt stops a run", {
  skip_on_os("windows")
  set.seed(3)
  big <- cafe_graph(data.frame(from = sample.int(20000, 1e5, TRUE), to = sample.int(20000, 1e5, TRUE)))
  system(sprintf("(sleep 1; kill -INT %d) &", Sys.getpid()))
  began <- proc.time()[["elapsed"]]
  stopped <- tryCatch({
    cafe_cluster(big, effort = "300", seed = 1)
    FALSE
  }, interrupt = function(e) TRUE)
  expect_true(stopped)
  expect_lt(proc.time()[["elapsed"]] - began, 60)
})
