/* The words that headings of edge lists and of tables of nodes are made of, as other programs write
 * them. */
#include "io/heading.h"

#include <string.h>

#include "base/print.h"

enum { LONGEST_WORD = 40 };

typedef struct pair {
    const char *source, *target;
    bool certain;
} pair;

static const pair pairs[] = {
    {"source", "target", true},
    {"src", "dst", true},
    {"src", "dest", true},
    {"source", "destination", true},
    {"from", "to", true},
    {"sourceid", "targetid", true},
    {"srcid", "dstid", true},
    {"fromid", "toid", true},
    {"fromnode", "tonode", true},
    {"fromnodeid", "tonodeid", true},
    {"sourcenode", "targetnode", true},
    {"sourcename", "targetname", true},
    {"startid", "endid", true}, /* Neo4j */
    {"startnode", "endnode", true},
    {"interactora", "interactorb", true},
    {"idsinteractora", "idsinteractorb", true},                       /* PSI-MITAB */
    {"officialsymbolinteractora", "officialsymbolinteractorb", true}, /* BioGRID */
    {"entrezgeneinteractora", "entrezgeneinteractorb", true},         /* BioGRID */
    {"quelle", "ziel", true},
    {"von", "nach", true},
    {"origen", "destino", true},
    {"node1", "node2", false}, /* STRING */
    {"nodea", "nodeb", false},
    {"id1", "id2", false},
    {"protein1", "protein2", false}, /* STRING */
    {"proteina", "proteinb", false},
    {"gene1", "gene2", false},
    {"genea", "geneb", false},
    {"vertex1", "vertex2", false},
    {"user1", "user2", false},
    {"person1", "person2", false},
    {"name1", "name2", false},
    {"item1", "item2", false},
    {"start", "end", false},
    {"head", "tail", false},
};

static const char weights[] =
    " weight weights w wt edgeweight combinedscore score strength similarity value gewicht poids "
    "peso ";
static const char others[] =
    " id ids index unnamed0 row rowid rownames no nr number edgeid eid edge key type kind label "
    "labels time times timestamp timeset ts date datetime year interaction interactiontype "
    "relation relationship edgetype directed direction comment description color colour ";

/* The column of the nodes in a table of nodes, and that of their labels. */
static const char node_words[] =
    " node nodes nodeid nodename id ids name names vertex vertexid vertexname key uid user userid "
    "username person personid gene geneid genename genesymbol symbol protein proteinid accession "
    "sharedname preferredname stringproteinid item itemid account accountid customer customerid "
    "paper paperid author authorid ";
static const char label_words[] =
    " label labels class classes classid category categories categoryid group groups groupid type "
    "types community communities communityid cluster clusters clusterid modularityclass target y "
    "membership partition module moduleid block faction club party topic topics tag tags term "
    "terms termid goterm goid pathway subject department leiden louvain infomap walktrap ";

/* The letters, small, and digits of the name; "" when it is too long for a word of ours. */
static void plain_word(const cafe_field *name, char word[LONGEST_WORD + 1]) {
    int length = 0;
    for (const uint8_t *p = name->begin; p < name->end; p++) {
        uint8_t c = *p >= 'A' && *p <= 'Z' ? (uint8_t)(*p + 32) : *p;
        bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
        if (kept && length == LONGEST_WORD) {
            length = 0;
            break;
        }
        if (kept) word[length++] = (char)c;
    }
    word[length] = 0;
}

static bool is_listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); length > 0 && at; at = strstr(at + 1, word))
        if (at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

cafe_role cafe_heading_role(const cafe_field *name) {
    char word[LONGEST_WORD + 1];
    if (name->begin == name->end) return CAFE_ROLE_OTHER;
    plain_word(name, word);
    if (is_listed(weights, word)) return CAFE_ROLE_WEIGHT;
    size_t length = strlen(word);
    bool number = length > 2 && strcmp(word + length - 2, "id") == 0; /* of the edge: a row's id */
    return number || is_listed(others, word) ? CAFE_ROLE_OTHER : CAFE_ROLE_UNKNOWN;
}

bool cafe_heading_is_weight(const cafe_field *name) {
    char word[LONGEST_WORD + 1];
    plain_word(name, word);
    return strcmp(word, "weight") == 0;
}

static bool is_word_of(const char *list, const cafe_field *name) {
    char word[LONGEST_WORD + 1];
    plain_word(name, word);
    return is_listed(list, word);
}

bool cafe_heading_is_node(const cafe_field *name) {
    return is_word_of(node_words, name);
}

bool cafe_heading_is_label(const cafe_field *name) {
    return is_word_of(label_words, name);
}

bool cafe_field_is_word(const cafe_field *cell, const char *word) {
    size_t length = strlen(word);
    return (size_t)(cell->end - cell->begin) == length &&
           cafe_same_word((const char *)cell->begin, word, length);
}

bool cafe_heading_is_share(const cafe_field *name) {
    return is_word_of(" weight weights score probability prob confidence membershipstrength ",
                      name);
}

bool cafe_heading_is_title(const cafe_field *name) {
    return cafe_field_is_word(name, "label");
}

bool cafe_heading_is_change(const cafe_field *name) {
    return is_word_of(" change changes changetype action op operation sign ", name);
}

/* Is the cell one of the words, in any case? */
static bool is_listed_cell(const char *list, const cafe_field *cell) {
    char word[LONGEST_WORD + 1];
    plain_word(cell, word);
    return is_listed(list, word) && cafe_field_is_word(cell, word);
}

int cafe_word_of_change(const cafe_field *cell) {
    static const char added[] = " added add insert inserted new create created a ",
                      removed[] = " removed remove delete deleted drop dropped gone d ";
    if (cafe_field_is_word(cell, "+")) return 1;
    if (cafe_field_is_word(cell, "-")) return -1;
    if (is_listed_cell(added, cell)) return 1;
    return is_listed_cell(removed, cell) ? -1 : 0;
}

static int32_t find(const cafe_field *names, int32_t count, const char *wanted) {
    char word[LONGEST_WORD + 1];
    for (int32_t c = 0; c < count; c++) {
        plain_word(&names[c], word);
        if (strcmp(word, wanted) == 0) return c;
    }
    return -1;
}

bool cafe_heading_pair(const cafe_field *names, int32_t count, int32_t *source, int32_t *target,
                       bool *certain) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        *source = find(names, count, pairs[i].source);
        *target = *source >= 0 ? find(names, count, pairs[i].target) : -1;
        *certain = pairs[i].certain;
        if (*target >= 0) return true;
    }
    return false;
}
