// Names beside their points, none over another: the most important first, each at the first of eight
// places that is free. The leading ones may stand farther off, with a line to their point.
import { textWidth } from './pen.js';

const size = 11.5;
const half = 7; // of a line's height
const air = 4.5; // between a point and its name
const leaders = 30; // names that may have a line
const distances = [20, 36]; // between such a name and its point

export function shorten(text, most = 28) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}\u2026` : text;
}

function places(x, y, width, gap) {
  const slant = gap * 0.75 + 3;
  return [[gap, 0, 'start'], [-gap, 0, 'end'], [0, -gap - half, 'middle'], [0, gap + half, 'middle'],
    [slant, -slant, 'start'], [slant, slant, 'start'], [-slant, -slant, 'end'], [-slant, slant, 'end']].map(([dx, dy, anchor]) => {
    const left = x + dx - { start: 0, middle: width / 2, end: width }[anchor];
    return { x: x + dx, y: y + dy, anchor, box: [left - 1, y + dy - half, left + width + 1, y + dy + half] };
  });
}

export const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// candidates: points, the most important first; area: [left, top, right, bottom] of the view; taken:
// boxes that are no longer free (more are added); most: names at most
// radius: (point) => pixels
export function placeNames(candidates, { place, radius, nameOf, area, taken, most }) {
  const found = [];
  let seen = 0; // names that asked for a line
  for (const point of new Set(candidates)) {
    if (found.length >= most) break;
    const [x, y] = place(point);
    if (x < area[0] || x > area[2] || y < area[1] || y > area[3]) continue;
    const text = shorten(nameOf(point));
    const width = textWidth(text, size);
    const isFree = ({ box }) => box[0] >= area[0] && box[2] <= area[2] && box[1] >= area[1] && box[3] <= area[3]
      && !taken.some((other) => meet(box, other));
    const at = (gap) => places(x, y, width, radius(point) + gap).find(isFree);
    const near = at(air);
    const far = near || seen++ >= leaders ? null : distances.map(at).find(Boolean);
    if (!near && !far) continue;
    taken.push((near ?? far).box);
    found.push({ ...(near ?? far), point, text, ...(far ? { line: lineTo(far.box, x, y) } : {}) });
  }
  return found;
}

// From a point to the nearest place of a box.
function lineTo([left, top, right, bottom], x, y) {
  return [x, y, Math.min(Math.max(x, left), right), Math.min(Math.max(y, top), bottom)];
}

export function drawNames(pen, names, style) {
  pen.lines(names.filter((name) => name.line).map((name) => name.line), style.quiet, 0.8);
  for (const { x, y, anchor, text } of names) pen.text(x, y, text, { size, anchor, colour: style.ink, halo: style.plot });
}
