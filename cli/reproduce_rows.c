/* What is run for each row of the tables, and where the sets can be had. */
#include "reproduce.h"

const reproduce_table reproduce_tables[] = {
    {"classification",
     "Node classification",
     {"10 % accuracy", "F1", "AUC", "30 % accuracy", "F1", "AUC", "50 % accuracy", "F1", "AUC"},
     {"accuracy", "macro_f1", "auc_paper", NULL},
     "XGBoost on the vectors of 10, 30 and 50 % of the nodes, drawn uniformly. F1 is the macro "
     "mean; AUC is what the paper prints under that name, the mean over classes of (TPR + TNR) / 2 "
     "of hard predictions."},
    {"cora-split",
     "Cora, 1,708 training and 500 test nodes",
     {"accuracy", NULL},
     {"accuracy", NULL},
     "The split of the paper's comparison with SplineCNN (0.8948 ± 0.0031 by its own paper); here "
     "drawn anew for every repeat."},
    {"link",
     "Link prediction",
     {"10 % accuracy", "F1", "30 % accuracy", "F1", "50 % accuracy", "F1", NULL},
     {"accuracy", "f1", NULL},
     "Protocol of the paper: vectors of the whole graph, the two vectors of a pair side by side, "
     "XGBoost on a share of the pairs. These classifiers have seen vectors that have seen the test "
     "links; see 'cafe evaluate link --protocol honest' for the other question."},
    {"reduction",
     "Point clouds",
     {"column 1", "2", "3", "4", "5", "6", NULL},
     {NULL},
     "The part of each column outside the dominant eigenvectors, 1 - sum of c². A cloud of two "
     "(three) dimensions has two (three) eigenvectors: only so many columns have a meaning, and "
     "those beyond are arbitrary, in the paper and here."},
    {"eigenvectors",
     "K = 2 and the dominant eigenvector",
     {"cos(v1, Qx)", "delta", "theorem applies", "bound", NULL},
     {NULL},
     "The paper shows pictures without figures. x = h_1 - h_2 of softmax clustering with K = 2, "
     "the best of 20 starts; the bound is theorem 4's, in its sharper correct form."},
    {"others",
     "Other graphs (not in the paper)",
     {"micro F1", "macro F1", NULL},
     {"micro_f1", "macro_f1", NULL},
     "Logistic regression (columns scaled to variance 1), 50 % of the labelled nodes for training, "
     "128 columns for every method; seconds are those of making the vectors once. Micro F1 is the "
     "accuracy where nodes have one label."},
    {0},
};

const reproduce_set reproduce_sets[] = {
    {"cora", "Cora", "the citation network of LINQS (linqs.org/datasets)"},
    {"wiki", "Wiki", "in the repository thunlp/OpenNE on GitHub, data/wiki"},
    {"ego-facebook", "ego-Facebook", "SNAP (snap.stanford.edu/data/ego-Facebook.html)"},
    {"bunny397", "Bunny", "in the repository PointCloudLibrary/pcl on GitHub, test/bun0.pcd"},
    {"teapot", "Teapot",
     "in the repository alecjacobson/common-3d-test-models on GitHub, data/teapot.obj"},
    {"junction", "Junction",
     "the 288-point model of joubert_andrews_2010; no public copy of it is known"},
    {"email-eu-core", "email-Eu-core", "SNAP (snap.stanford.edu/data/email-Eu-core.html)"},
    {"karate", "karate", "examples/karate.txt of Cafe itself"},
    {"blogcatalog", "BlogCatalog",
     "in the repository phanein/deepwalk on GitHub, example_graphs/blogcatalog.mat"},
    {"pubmed", "PubMed", "the citation network of LINQS (linqs.org/datasets)"},
    {"wikipedia-pos", "Wikipedia POS",
     "in the repository thunlp/OpenNE on GitHub, data/Wikipedia/POS.mat"},
    {"coauthor-cs", "Coauthor CS",
     "in the repository CrawlScript/gnn_datasets on GitHub, Coauthor"},
    {"amazon-computers", "Amazon Computers",
     "in the repository CrawlScript/gnn_datasets on GitHub, AmazonElectronics"},
    {"lastfm-asia", "LastFM Asia", "SNAP (snap.stanford.edu/data/feather-lastfm-social.html)"},
    {0},
};

/* The paper's splits are uniform, and its baselines have as many columns as CAFE-GCN found. */
#define CLASSIFY "--split uniform "
#define CLASSIFICATION(method, options, note) \
    { "classification", NULL, method, CLASSIFY options, note }
/* As many pairs without a link as the raw data have links: the ratio explains the paper's F1. */
#define LINK(set, negatives, method, options, note)                                              \
    {                                                                                            \
        "link", set, method, "--protocol paper --negatives " negatives " --most 20000 " options, \
            note                                                                                 \
    }
#define LINKS(method, options, note)                                                              \
    LINK("cora", "1.0286", method, options, note), LINK("wiki", "1.5506", method, options, note), \
        LINK("ego-facebook", "1", method, options, note)
#define OTHER(method, options, note) \
    { "others", NULL, method, "--classifier logistic --train 0.5 " options, note }

const reproduce_recipe reproduce_recipes[] = {
    CLASSIFICATION("Graph Factorization", "--method gf --columns 64", NULL),
    CLASSIFICATION("DeepWalk", "--method deepwalk --columns 64", NULL),
    CLASSIFICATION("node2vec", "--method node2vec --columns 64", NULL),
    CLASSIFICATION("LINE", "--method line --columns 64", NULL),
    CLASSIFICATION("HOPE", "--method hope --columns 64", NULL),
    CLASSIFICATION("GraRep", "--method grarep --columns 64", NULL),
    CLASSIFICATION("SDNE", "--method sdne --columns 64", NULL),
    CLASSIFICATION("CAFE-GCN", "--method cafe --columns 300", NULL),
    CLASSIFICATION("Multi-layer CAFE-GCN", "--method layers", NULL),
    CLASSIFICATION("Sphere-GCN", "--method sphere", NULL),
    CLASSIFICATION("CAFE-GCN (semi-supervised)", "--method cafe --supervised", NULL),
    CLASSIFICATION("Label propagation", "--method label-propagation --classifier none", NULL),
    {"cora-split", NULL, "CAFE-GCN (semi-supervised)",
     "--split uniform --train 1708 --test 500 --method cafe --supervised", NULL},
    LINKS("Graph Factorization", "--method gf --columns 64", NULL),
    LINKS("DeepWalk", "--method deepwalk --columns 64", NULL),
    LINKS("node2vec", "--method node2vec --columns 64", NULL),
    LINKS("LINE", "--method line --columns 64", NULL),
    LINKS("HOPE", "--method hope --columns 64", NULL),
    LINKS("GraRep", "--method grarep --columns 64", NULL),
    LINKS("SDNE", "--method sdne --columns 64", NULL),
    LINKS("CAFE-GCN", "--method cafe --columns 300", NULL),
    LINKS("Multi-layer CAFE-GCN", "--method layers", NULL),
    LINKS("Sphere-GCN", "--method sphere", NULL),
    OTHER("Sphere-GCN", "--method sphere --columns 128", NULL),
    OTHER("CAFE-GCN", "--method cafe --columns 128", NULL),
    OTHER("Multi-layer CAFE-GCN", "--method layers --columns 128", NULL),
    OTHER("Graph Factorization", "--method gf --columns 128", NULL),
    OTHER("DeepWalk", "--method deepwalk --columns 128", NULL),
    OTHER("node2vec", "--method node2vec --columns 128", NULL),
    OTHER("LINE", "--method line --columns 128", NULL),
    OTHER("HOPE", "--method hope --columns 128", NULL),
    OTHER("GraRep", "--method grarep --columns 128", NULL),
    OTHER("SDNE", "--method sdne --columns 128", NULL),
    OTHER("Spectral", "--method spectral --columns 128", NULL),
    {0},
};
