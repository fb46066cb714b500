graph [
  directed 0
  node [ id 0 label "Z&#252;rich &amp; &lt;Bern&gt;" ]
  node [ id 1 label "b" ]
  node [ id 2 label "c &quot;x&quot;" ]
  node [ id 3 label "c" ]
  node [ id 4 label "d" ]
  edge [ source 0 target 1 weight 0.5 ]
  edge [ source 1 target 2 weight 2 ]
  edge [ source 3 target 4 weight 1 ]
]
