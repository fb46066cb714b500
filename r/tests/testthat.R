library(testthat)
library(cafe)
test_check("cafe")
