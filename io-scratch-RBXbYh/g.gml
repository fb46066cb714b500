graph [
  directed 0
  node [ id 0 label "u" ]
  node [ id 1 label "Z&#252;rich" ]
  node [ id 2 label "a&#9;b" ]
  edge [ source 0 target 1 weight 1.5 ]
  edge [ source 0 target 2 weight 16777216 ]
]
