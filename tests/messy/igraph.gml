Creator "igraph version 0.9"
Version 1
graph
[
  directed 0
  node
  [
    id 0
    name "ann"
  ]
  node
  [
    id 1
    name "bob"
  ]
  edge
  [
    source 0
    target 1
  ]
]
