#!/usr/bin/env python3
"""scripts/letters.py FONT.ttf: writes lab/draw/letters.bin, the outlines that pictures are lettered with.

Of a TrueType font (DejaVu Sans 2.37, whose licence is LICENSE.DejaVu) it keeps Latin, Greek, Cyrillic and
punctuation: curves and advances, no hints. All numbers are little-endian:

    u16 glyphs, u16 units of an em

    glyphs times   u16 character, u16 advance, u32 offset of the outline from the end of this table

    an outline     u16 contours, for each of them u16 points

    a point        i16 2 x + (1: on the curve, 0: a control point), i16 y, upwards from the baseline
"""
import pathlib
import struct
import sys

KEPT = [(0x20, 0x7E), (0xA0, 0x17F), (0x192, 0x192), (0x1CD, 0x1DC), (0x218, 0x21B), (0x2C6, 0x2DD), (0x300, 0x33F),
        (0x370, 0x3FF), (0x400, 0x4FF), (0x1E00, 0x1EFF), (0x2010, 0x2027), (0x2030, 0x203A), (0x2070, 0x208E),
        (0x20AC, 0x20AC), (0x2116, 0x2122), (0x2190, 0x2195), (0x2200, 0x221E), (0x2248, 0x2248), (0x2260, 0x2265),
        (0x25A0, 0x25A1), (0xFB01, 0xFB02), (0xFFFD, 0xFFFD)]


class Font:
    def __init__(self, data):
        self.data = data
        count, = struct.unpack_from(">H", data, 4)
        self.table = {data[12 + 16 * i:16 + 16 * i].decode(): struct.unpack_from(">II", data, 20 + 16 * i)
                      for i in range(count)}
        self.units, = self.read("head", 18, ">H")
        self.long, = self.read("head", 50, ">h")
        self.metrics, = self.read("hhea", 34, ">H")
        self.glyphs = self.characters()

    def read(self, table, at, form):
        return struct.unpack_from(form, self.data, self.table[table][0] + at)

    def characters(self):
        """Glyph numbers by character, from the Unicode map of format 12 or 4."""
        tables, = self.read("cmap", 2, ">H")
        places = [self.read("cmap", 8 + 8 * i, ">I")[0] for i in range(tables)]
        found = {}
        for place in places:
            form, = self.read("cmap", place, ">H")
            if form == 12:
                groups, = self.read("cmap", place + 12, ">I")
                for g in range(groups):
                    first, last, glyph = self.read("cmap", place + 16 + 12 * g, ">III")
                    found.update({c: glyph + c - first for c in range(first, last + 1)})
        return found

    def advance(self, glyph):
        return self.read("hmtx", 4 * min(glyph, self.metrics - 1), ">H")[0]

    def outline(self, glyph):
        """Contours of (x, y, on) points."""
        size = 4 if self.long else 2
        begin, end = self.read("loca", size * glyph, ">II" if self.long else ">HH")
        begin, end = (begin, end) if self.long else (2 * begin, 2 * end)
        if begin == end:
            return []
        contours, = self.read("glyf", begin, ">h")
        return self.simple(begin, contours) if contours >= 0 else self.composite(begin + 10)

    def simple(self, begin, contours):
        ends = self.read("glyf", begin + 10, f">{contours}H")
        at = begin + 10 + 2 * contours
        at += 2 + self.read("glyf", at, ">H")[0]
        flags = []
        while len(flags) <= ends[-1]:
            flag, = self.read("glyf", at, ">B")
            at += 1
            times = 1
            if flag & 8:
                times += self.read("glyf", at, ">B")[0]
                at += 1
            flags += [flag] * times
        axes = []
        for short, same in ((2, 16), (4, 32)):
            value, values = 0, []
            for flag in flags:
                if flag & short:
                    step, = self.read("glyf", at, ">B")
                    at += 1
                    value += step if flag & same else -step
                elif not flag & same:
                    value += self.read("glyf", at, ">h")[0]
                    at += 2
                values.append(value)
            axes.append(values)
        points = [(x, y, f & 1) for x, y, f in zip(*axes, flags)]
        return [points[first:last + 1] for first, last in zip([0, *[e + 1 for e in ends]], ends)]

    def composite(self, at):
        parts, more = [], True
        while more:
            flags, glyph = self.read("glyf", at, ">HH")
            x, y = self.read("glyf", at + 4, ">hh" if flags & 1 else ">bb")
            at += 8 if flags & 1 else 6
            turn = (1.0, 0.0, 0.0, 1.0)
            if flags & 8:
                turn = (self.read("glyf", at, ">h")[0] / 16384, 0, 0, self.read("glyf", at, ">h")[0] / 16384)
                at += 2
            elif flags & 0x40:
                a, d = self.read("glyf", at, ">hh")
                turn = (a / 16384, 0, 0, d / 16384)
                at += 4
            elif flags & 0x80:
                turn = tuple(v / 16384 for v in self.read("glyf", at, ">hhhh"))
                at += 8
            a, b, c, d = turn
            parts += [[(round(a * px + c * py) + x, round(b * px + d * py) + y, on) for px, py, on in contour]
                      for contour in self.outline(glyph)]
            more = flags & 0x20
        return parts


def main():
    font = Font(pathlib.Path(sys.argv[1]).read_bytes())
    kept = [c for first, last in KEPT for c in range(first, last + 1) if c in font.glyphs]
    table, outlines = b"", b""
    for character in kept:
        contours = font.outline(font.glyphs[character])
        table += struct.pack("<HHI", character, font.advance(font.glyphs[character]), len(outlines))
        outlines += struct.pack("<H", len(contours))
        outlines += b"".join(struct.pack("<H", len(c)) for c in contours)
        outlines += b"".join(struct.pack("<hh", 2 * x + on, y) for c in contours for x, y, on in c)
    target = pathlib.Path(__file__).parent.parent / "lab" / "draw" / "letters.bin"
    target.write_bytes(struct.pack("<HH", len(kept), font.units) + table + outlines)
    print(f"{len(kept)} characters, {target.stat().st_size} bytes")


main()
