// Axes of two columns: ticks at 1, 2 or 5 times a power of ten, their values, the columns' names. They
// stand on strips of their own at the left and at the bottom, over whatever lies there.

export const strip = { left: 58, bottom: 40 };

// Values from low to high, about one for every 80 pixels.
export function ticks(low, high, pixels) {
  const rough = (high - low) / Math.max(Math.floor(pixels / 80), 2);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((f) => f * power >= rough * 0.999) * power;
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && list.length < 40; i++) list.push(i * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return list.map((value) => [value, digits > 6 || Math.abs(value) >= 1e6 ? value.toExponential(2)
    : (Math.abs(value) < step / 2 ? 0 : value).toFixed(digits)]);
}

// The value of an axis at a place of the plane, and back.
const valueOf = (axis, place, span) => axis.low + (axis.high - axis.low) * place / span;
const placeOf = (axis, value, span) => (value - axis.low) / ((axis.high - axis.low) || 1) * span;

// Both lists of [pixel, text].
export function findTicks({ axes: [x, y], camera }) {
  const [left, bottom] = camera.toPlane(strip.left, camera.height - strip.bottom);
  const [right, top] = camera.toPlane(camera.width, 0);
  const across = ticks(valueOf(x, left, camera.spanX), valueOf(x, right, camera.spanX), camera.width - strip.left);
  const up = ticks(valueOf(y, bottom, camera.spanY), valueOf(y, top, camera.spanY), camera.height - strip.bottom);
  return {
    x: across.map(([v, text]) => [camera.toScreen(placeOf(x, v, camera.spanX), 0)[0], text]),
    y: up.map(([v, text]) => [camera.toScreen(0, placeOf(y, v, camera.spanY))[1], text]),
  };
}

export function drawAxes(pen, app) {
  const { camera, style, axisNumbers } = app;
  const { width, height } = camera;
  const found = findTicks(app);
  const floor = height - strip.bottom;
  const small = { size: 11, colour: style.quiet };
  pen.rect(0, 0, strip.left, height, style.plot);
  pen.rect(0, floor, width, strip.bottom, style.plot);
  pen.lines([[strip.left, 0, strip.left, floor], [strip.left, floor, width, floor],
    ...found.x.map(([x]) => [x, floor, x, floor + 5]), ...found.y.map(([y]) => [strip.left - 5, y, strip.left, y])],
  style.quiet, 1, 0.7);
  for (const [x, text] of found.x) if (x < width - 12) pen.text(x, floor + 13, text, { ...small, anchor: 'middle' });
  for (const [y, text] of found.y) if (y > 8) pen.text(strip.left - 8, y, text, { ...small, anchor: 'end' });
  pen.text((strip.left + width) / 2, height - 10, `column ${axisNumbers[0]}`, { ...small, anchor: 'middle', colour: style.ink });
  pen.text(10, floor / 2, `column ${axisNumbers[1]}`, { ...small, anchor: 'middle', colour: style.ink, upright: true });
  return found;
}
