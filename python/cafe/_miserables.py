"""Les Misérables: who meets whom in Victor Hugo's novel, and in how many chapters.

The characters and their meetings as D. E. Knuth counted them (The Stanford GraphBase, 1993). A line a
character: the name, then the numbers of characters further down, with the chapters behind a colon where
there is more than one.
"""

TEXT = """\
Napoleon|1
Myriel|2:8 3:10 4 5 6 7 8:2 9 10:5
MlleBaptistine|3:6 10:3
MmeMagloire|10:3
CountessDeLo|
Geborand|
Champtercier|
Cravatte|
Count|
OldMan|
Valjean|11 12 13 14 15 23:9 24:7 25:12 26:31 27:17 28:8 29:2 31:3 32 33:2 34:3 35:3 36:2 37:2 38:2 43:3 44 48 49:2 51:2 55:19 58:4 64 68 69 70 71 72
Labarre|
Marguerite|23:2
MmeDeR|
Isabeau|
Gervais|
Listolier|17:4 18:4 19:4 20:3 21:3 22:3 23:3
Tholomyes|18:4 19:4 20:3 21:3 22:3 23:3 26 55
Fameuil|19:4 20:3 21:3 22:3 23:3
Blacheville|20:4 21:3 22:3 23:3
Favourite|21:5 22:4 23:4
Dahlia|22:4 23:4
Zephine|23:4
Fantine|24:2 25 27:5 29 30 31:2
MmeThenardier|25:13 26:4 27 41:2 42 50 68 69 70
Thenardier|26 27:5 39 40 41:3 42:2 48 55:2 68:5 69:6 70:4 71 75:3
Cosette|27 43 49:3 51:2 54 55:21 72:2
Javert|28 29 31 33 43 48 58:6 68 69:2 70 71 72
Fauchelevent|44:3 45:2
Bamatabois|34:2 35:2 36 37 38
Perpetue|31:2
Simplice|
Scaufflaire|
Woman1|
Judge|35:3 36:2 37:2 38:2
Champmathieu|36:2 37:2 38:2
Brevet|37:2 38:2
Chenildieu|38:2
Cochepaille|
Pontmercy|52 55
Boulatruelle|
Eponine|42:2 55:5 57 62 68 69 70 71 75
Anzelma|
Woman2|
MotherInnocent|
Gribier|
MmeBurgon|47 48:2
Jondrette|
Gavroche|55:4 57 58:7 59:6 60 61:2 62:7 63:5 64:5 65:3 66 68 69 71 73:2 74:2 75 76
Gillenormand|50 51:9 54 55:12 56
Magnon|
MlleGillenormand|52 53 54:2 55:6
MmePontmercy|
MlleVaubois|
LtGillenormand|55
Marius|56 57 58:7 59:5 61 62:9 63 64:5 65:2
BaronessT|
Mabeuf|58 59:2 61 62:2 63:2 64 65 67:3
Enjolras|59:15 60:4 61:6 62:17 63:4 64:10 65:5 66:3 70 76
Combeferre|60:2 61:5 62:13 63:5 64:9 65:5 66
Prouvaire|61:2 62:3 63:2 64:2 65:2 66
Feuilly|62:6 63:3 64:6 65:5 66
Courfeyrac|63:6 64:12 65:5 66:2 76
Bahorel|64:4 65:5 66 76
Bossuet|65:7 66:3 76
Joly|66:2 76
Grantaire|76
MotherPlutarch|
Gueulemer|69:6 70:4 71:2 75:3
Babet|70:4 71:2 75:3
Claquesous|71:2 75
Montparnasse|75
Toussaint|
Child1|74:3
Child2|
Brujon|
MmeHucheloup|
"""
