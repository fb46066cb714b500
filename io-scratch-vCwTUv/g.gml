graph [
  directed 0
  node [ id 0 label "a" ]
  node [ id 1 label "b" ]
  node [ id 2 label "c" ]
  edge [ source 0 target 1 weight 1 ]
  edge [ source 1 target 2 weight 2 ]
]
