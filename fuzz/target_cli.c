/* The whole tool in this process: a command line and the files it names.
 *
 *     embed g.txt -k 2 -o v.tsv                    the first line: words with blanks in between
 *     \1g.txt                                      then files: a byte 1 and a name,
 *     0 1                                          and what is in it
 *     1 2
 *
 * A file that is called - is standard input. Everything happens in a folder of its own in memory: a
 * slash in a word or a name becomes an underscore. Words that would only make a run long (counts of
 * a thousand and more) become small ones; larger than any range, they stay as they are. Exit codes
 * are checked.
 */
#include "folder.h"
#include "fuzz.h"

#include <fcntl.h>

int cafe_main(int argc, char **argv);

enum { MOST_WORDS = 40, MOST_FILES = 8 };

static int home = -1, nothing = -1;

static void begin(void) {
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (home < 0 || nothing < 0) abort();
}

/* ---- words ----------------------------------------------------------------------------------- */

/* A number that a range may hold but a run should not: 3 of 123456, "=3" of "=123456". */
static void shorten(char *word) {
    char *number = word, *end;
    char *equals = strchr(word, '=');
    if (equals) number = equals + 1;
    while (*number == '-') number++;
    double value = strtod(number, &end);
    if (end == number || !(value > 64 && value < 1e12)) return;
    if (value == 1000 || number[0] == '0') return; /* names of nodes, files */
    number[1] = 0;
}

/* Tables that need no files but minutes. */
static int takes_long(char **words, int count) {
    static const char *const tables[] = {"reduction", "eigenvectors", "others", "all"};
    if (count < 2 || strcmp(words[1], "reproduce") != 0) return 0;
    for (int i = 2; i < count; i++)
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
            if (strcmp(words[i], tables[k]) == 0) return 1;
    return 0;
}

static int split(char *line, char **words) {
    int count = 0;
    words[count++] = "cafe";
    for (char *word = strtok(line, " \t"); word && count < MOST_WORDS - 3;
         word = strtok(NULL, " \t")) {
        for (char *p = word; *p; p++)
            if (*p == '/') *p = '_';
        shorten(word);
        words[count++] = word;
    }
    return count;
}

/* Threads cost a start for every run, and then runs do not repeat. */
static int limit(char **words, int count) {
    static const char *const bare[] = {"help", "version", "engines", "-h", "--help", "--version"};
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        if (count < 2 || strcmp(words[1], bare[i]) == 0) return count;
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--threads") == 0 || strcmp(words[i], "--") == 0) return count;
    words[count++] = "--threads";
    words[count++] = "1";
    return count;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The file that begins at `at`; returns where the next byte 1 is. */
static char *write_file(char *at, char *end) {
    char name[128];
    size_t length = 0;
    for (; at < end && *at != '\n'; at++)
        if (length + 1 < sizeof name && *at) name[length++] = *at == '/' ? '_' : *at;
    name[length] = 0;
    char *begin = at < end ? at + 1 : end, *next = memchr(begin, 1, (size_t)(end - begin));
    if (!next) next = end;
    int file = length > 0 ? fuzz_folder_put(name, begin, (size_t)(next - begin)) : -1;
    if (file >= 0 && strcmp(name, "-") == 0) dup2(file, STDIN_FILENO);
    if (file >= 0) close(file);
    return next;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void run(char *text, size_t size) {
    char *words[MOST_WORDS + 1], *end = text + size;
    char *line = memchr(text, '\n', size), *at = line ? line + 1 : end;
    if (line) *line = 0;
    int count = limit(words, split(text, words));
    words[count] = NULL;
    if (takes_long(words, count)) return;
    dup2(nothing, STDIN_FILENO);
    for (int i = 0; i < MOST_FILES && at < end && *at == 1; i++) at = write_file(at + 1, end);
    if (fchdir(fuzz_folder()) != 0) abort();
    int code = cafe_main(count, words);
    if (fchdir(home) != 0) abort();
    if (code < 0 || code > 5) abort();
    clearerr(stdout);
    fuzz_folder_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (home < 0) begin();
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    run(text, size);
    free(text);
    return 0;
}
