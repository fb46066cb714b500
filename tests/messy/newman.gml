Creator "Mark"
graph
[
  directed 0
  node
  [
    id 5
    label "Ann &amp; Bob"
  ]
  node [ id 7 label "Z&#252;rich" graphics [ x 1 y 2 ] ]
  edge
  [
    source 5
    target 7
    value 3
  ]
]
