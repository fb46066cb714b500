Creator "igraph"
Version 1
graph
[
  directed 1
  node
  [
    id 5
    label "a"
  ]
 node [ id 7 label "b" ]
  edge
  [
    source 5
    target 7
    value 3
  ]
]
