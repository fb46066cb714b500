// Light or dark: as the system has it, until the switch says otherwise.

const system = window.matchMedia('(prefers-color-scheme: dark)');

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : system.matches;
}

// The colours that canvases need, which CSS does not reach.
export function readStyle() {
  const css = getComputedStyle(document.documentElement);
  const of = (name) => css.getPropertyValue(`--${name}`).trim();
  return { ink: of('ink'), quiet: of('quiet'), accent: of('accent'), plot: of('plot'), link: of('link') };
}

export function watchTheme(changed) {
  document.getElementById('theme').addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    changed();
  });
  system.addEventListener('change', changed);
}
