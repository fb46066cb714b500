// Small charts in SVG: a line and bars, with the numbers that matter written at them.
import { make, count, figure } from './bus.js';

const width = 320;
const height = 130;
const inset = { left: 44, right: 8, top: 8, bottom: 20 };

function mark(tag, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function frame(title, caption, low, high, lastX) {
  const svg = mark('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title });
  const y = (v) => inset.top + (height - inset.top - inset.bottom) * (1 - (v - low) / ((high - low) || 1));
  for (const v of [low, high]) {
    svg.append(mark('line', { class: 'rule', x1: inset.left, x2: width - inset.right, y1: y(v), y2: y(v) }),
      mark('text', { x: inset.left - 6, y: y(v) + 3.5, 'text-anchor': 'end' }, figure(v)));
  }
  svg.append(mark('text', { x: width - inset.right, y: height - 4, 'text-anchor': 'end' }, lastX));
  return { svg, y, figure: make('figure', {}, make('figcaption', {}, caption), svg) };
}

export function lineChart(title, caption, values) {
  const known = values.filter((v) => v !== null);
  const chart = frame(title, caption, Math.min(...known), Math.max(...known), `sweep ${values.length - 1}`);
  const x = (i) => inset.left + (width - inset.left - inset.right) * i / Math.max(values.length - 1, 1);
  chart.svg.append(mark('polyline', { class: 'line', points: values.map((v, i) => `${x(i)},${chart.y(v)}`).join(' ') }));
  return chart.figure;
}

// Bars from zero, with a tick of plus or minus the error.
export function barChart(title, caption, values, errors) {
  const reach = (sign) => values.map((v, i) => v + sign * (errors[i] ?? 0));
  const chart = frame(title, caption, Math.min(0, ...reach(-1)), Math.max(0, ...reach(1)), `${values.length} values`);
  const step = (width - inset.left - inset.right) / values.length;
  values.forEach((value, i) => {
    const from = chart.y(Math.max(value, 0));
    const x = inset.left + i * step;
    const bar = mark('rect', { class: 'bar-mark', x: x + step * 0.12, width: Math.max(step * 0.76, 0.5),
      y: from, height: Math.max(chart.y(Math.min(value, 0)) - from, 0.5), rx: Math.min(1.5, step / 4) });
    const residual = errors[i] === undefined ? '' : `, residual ${figure(errors[i])}`;
    bar.append(mark('title', {}, `${i}: ${figure(value)}${residual}`));
    chart.svg.append(bar);
    if (errors[i] > 0 && step > 3) {
      chart.svg.append(mark('line', { class: 'error', x1: x + step / 2, x2: x + step / 2,
        y1: chart.y(value - errors[i]), y2: chart.y(value + errors[i]) }));
    }
  });
  return chart.figure;
}

export function showRun(panel, meta) {
  const parts = [];
  if (meta.objective.length > 1) {
    parts.push(lineChart('Objective per sweep',
      `Objective per sweep: ${figure(meta.objective[0])} to ${figure(meta.objective.at(-1))}`, meta.objective));
  }
  if (meta.ritz.length) {
    parts.push(barChart('Ritz values', `Ritz values of the columns, of ${meta.generalised ? 'Q v = \u03c1 D v' : 'Q v = \u03c1 v'}; the ticks are residuals: an eigenvalue lies within`,
      meta.ritz, meta.residuals));
  }
  if (!parts.length) parts.push(make('p', { class: 'lead' }, 'This page has neither objective nor Ritz values.'));
  parts.push(make('dl', { class: 'facts' }, ...[['Nodes', count(meta.nodes)], ['Links', count(meta.edges)],
    ['Columns', count(meta.columns)], ['Written by', `cafe ${meta.version}`]]
    .flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)])));
  panel.replaceChildren(...parts);
}
