/* Letters for pixels: strokes on a small grid, drawn as smooth lines of any size.
 *
 * A glyph is a list of strokes separated by blanks, a stroke a list of points, a point two digits:
 * x to the right, y down. Capitals stand between y = 0 and the baseline at 6, small letters begin
 * at 2, descenders end at 8. A glyph is as wide as its largest x; a gap parts it from the next.
 * Characters without a glyph of their own are shown as a box.
 */
#include <string.h>

#include "draw/plot.h"

enum { FIRST = 32, LAST = 126 };
static const double gap = 1.7, blank = 1.4, unit = 0.118 /* of the line's height */;
static const char box[] = "0040460600", ellipsis[] = "0606 2626 4646";

/* from the blank to the tilde, in the order of ASCII; as many to a line as fit */
/* clang-format off */
static const char *const glyphs[LAST - FIRST + 1] = {
    "", "0004 0606", "0002 2022", "1016 3036 0242 0444", "413010010213334445361605 2026",
    "4006 0010110100 3545463635", "4612112031320405162644", "0002", "10020517", "00121507",
    "2024 0143 4103", "2125 0343", "1507", "0333", "0606", "3006", "103041453616050110", "012026",
    "01103041420646", "01103041423313 334445361605", "36300444", "40000312324345361605",
    "413010010516364544331304", "004016", "103041423313020110 1304051636454433",
    "051636454130100102133342", "0202 0606", "1212 1507", "310335", "0242 0444", "013305",
    "01103041422324 2626", "4441301001051646 44242242", "062046 1434",
    "00063645443303 0030414233", "4130100105163645", "00062644422000", "40000646 0333",
    "400006 0333", "41301001051636454323", "0006 4046 0343", "0020 1016 0626", "3035261605",
    "0006 4004 1346", "000646", "0600244046", "06004640", "103041453616050110", "06003041423303",
    "103041453616050110 2446", "06003041423303 2346", "413010010213334445361605", "0040 2026",
    "000516364540", "002640", "0016325660", "0046 4006", "002340 2326", "00400646", "10000717",
    "0036", "00101707", "021022", "0747", "0011", "3236 3322120305162635",
    "0006 0312223335261605", "3322120305162635", "3036 3322120305162635", "04343322120305162635",
    "201116 0222", "3237281807 3322120305162635", "0006 0312223336", "0206 0000", "121708 1010",
    "0006 3205 1436", "000516", "0206 03122326 23324346", "0206 0312223336", "122233352616050312",
    "0208 0312223335261605", "3238 3322120305162635", "0206 031222", "33221203142435261605",
    "101526 0222", "0205162635 3236", "022642", "0216233642", "0236 3206", "0226 421808",
    "02320636", "20111304151728", "0008", "00111324151708", "04132433",
};
/* clang-format on */

/* The glyph of the character at *text, which moves on to the next. */
static const char *next_glyph(const char **text) {
    const uint8_t *p = (const uint8_t *)*text;
    bool dots = p[0] == 0xe2 && p[1] == 0x80 && p[2] == 0xa6;
    do ++*text;
    while ((**text & 0xc0) == 0x80);
    if (dots) return ellipsis;
    return *p >= FIRST && *p <= LAST ? glyphs[*p - FIRST] : box;
}

static double advance(const char *glyph) {
    int widest = 0;
    for (const char *p = glyph; *p; p += *p == ' ' ? 1 : 2)
        if (*p != ' ' && *p - '0' > widest) widest = *p - '0';
    return (*glyph ? widest : blank) + gap;
}

double cafe_font_width(const char *text, double height) {
    double width = 0;
    while (*text) width += advance(next_glyph(&text));
    return width > 0 ? (width - gap) * unit * height : 0;
}

/* Where and how: the origin on the baseline, and the directions of x and y on the canvas. */
typedef struct placed {
    cafe_canvas *canvas;
    double x, y, right[2], down[2], width;
    cafe_colour colour;
} placed;

static void draw_glyph(const placed *p, const char *glyph) {
    double last[2] = {0, 0};
    bool fresh = true;
    for (const char *c = glyph; *c;) {
        if (*c == ' ') {
            fresh = true;
            c++;
            continue;
        }
        double gx = c[0] - '0', gy = c[1] - '0' - 6.0;
        double at[2] = {p->x + gx * p->right[0] + gy * p->down[0],
                        p->y + gx * p->right[1] + gy * p->down[1]};
        if (!fresh)
            cafe_canvas_segment(p->canvas, last[0], last[1], at[0], at[1], p->width, p->colour, 1);
        last[0] = at[0], last[1] = at[1];
        fresh = false;
        c += 2;
    }
}

void cafe_canvas_text(void *canvas, double x, double y, double height, const char *text,
                      cafe_anchor anchor, bool upright, cafe_colour colour) {
    double u = unit * height, shift = cafe_font_width(text, height) * anchor / 2;
    placed p = {canvas, x, y, {u, 0}, {0, u}, height / 11, colour};
    if (upright) p.right[0] = 0, p.right[1] = -u, p.down[0] = u, p.down[1] = 0;
    p.x -= shift * p.right[0] / u;
    p.y -= shift * p.right[1] / u;
    while (*text) {
        const char *glyph = next_glyph(&text);
        draw_glyph(&p, glyph);
        p.x += advance(glyph) * p.right[0];
        p.y += advance(glyph) * p.right[1];
    }
}
