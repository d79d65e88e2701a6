export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly Line[];
  /** Marks a place on the x axis, such as a knee. */
  readonly mark?: { readonly x: number; readonly label: string };
}

const WIDTH = 720;
const HEIGHT = 260;
const MARGIN = { left: 62, right: 16, top: 30, bottom: 62 };
/** Colours that people without red or green keep apart, too (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];
const TICKS = 5;

/** Draws a plot of lines as SVG that needs nothing else. Pure. */
export function svgPlot({ title, xLabel, yLabel, lines, mark }: Plot): string {
  const points = lines.flatMap((line) => line.points);
  const xs = points.map(([x]) => x);
  const [xFrom, xTo] = xs.length > 0 ? [Math.min(...xs), Math.max(...xs)] : [0, 1];
  const yTicks = ticksUpTo(Math.max(0, ...points.map(([, y]) => y)));
  const yTo = yTicks.at(-1)!;
  const inner = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const px = (x: number) => round(MARGIN.left + ((x - xFrom) / (xTo - xFrom || 1)) * inner.width);
  const py = (y: number) => round(MARGIN.top + inner.height - (Math.max(0, y) / yTo) * inner.height);
  const bottom = MARGIN.top + inner.height;
  const right = MARGIN.left + inner.width;
  const grid = yTicks.map(
    (y) =>
      `<line x1="${MARGIN.left}" x2="${right}" y1="${py(y)}" y2="${py(y)}" stroke="#ddd"/>` +
      `<text x="${MARGIN.left - 6}" y="${py(y) + 4}" text-anchor="end">${short(y)}</text>`,
  );
  const marks = Array.from({ length: TICKS + 1 }, (_, n) => xFrom + ((xTo - xFrom) * n) / TICKS).map(
    (x) => `<text x="${px(x)}" y="${bottom + 16}" text-anchor="middle">${short(x)}</text>`,
  );
  const marked =
    mark && mark.x >= xFrom && mark.x <= xTo
      ? `<line x1="${px(mark.x)}" x2="${px(mark.x)}" y1="${MARGIN.top}" y2="${bottom}" stroke="#999" ` +
        `stroke-dasharray="4 3"/><text x="${px(mark.x) + 4}" y="${MARGIN.top + 11}">${escapeXml(mark.label)}</text>`
      : '';
  const drawn = lines.map(({ points: own }, n) => {
    const colour = COLOURS[n % COLOURS.length];
    const path = own.map(([x, y]) => `${px(x)},${py(y)}`).join(' ');
    const dots = own.length <= 12 ? own.map(([x, y]) => dot(px(x), py(y), colour!)).join('') : '';
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.6" points="${path}"/>${dots}`;
  });
  const legend = lines.map(({ name }, n) => {
    const x = MARGIN.left + (n % 4) * 165;
    const y = bottom + 34 + Math.floor(n / 4) * 14;
    return (
      `<rect x="${x}" y="${y - 8}" width="12" height="4" fill="${COLOURS[n % COLOURS.length]}"/>` +
      `<text x="${x + 17}" y="${y - 2}">${escapeXml(name)}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" role="img" font-family="sans-serif" font-size="11">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${MARGIN.left}" y="17" font-size="13" font-weight="bold">${escapeXml(title)}</text>
<text x="${right}" y="17" text-anchor="end" fill="#555">${escapeXml(yLabel)} by ${escapeXml(xLabel)}</text>
${[...grid, ...marks, marked, ...drawn, ...legend].join('\n')}
</svg>
`;
}

const dot = (x: number, y: number, colour: string) =>
  `<circle cx="${x}" cy="${y}" r="2.5" fill="${colour}"/>`;

/** Chooses round numbers from 0 to at least `most`. */
export function ticksUpTo(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, n) => n * step);
}

/** Writes a number in few digits. */
export function short(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 10_000) return `${round(value / 1000)}k`;
  if (size >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(size >= 1 ? 3 : 2)));
}

const round = (value: number) => Math.round(value * 10) / 10;

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
