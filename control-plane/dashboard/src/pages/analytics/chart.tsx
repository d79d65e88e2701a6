import { type ReactNode, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { TickLabels } from '../../format/ticks.js';
import 'uplot/dist/uPlot.min.css';
import { useRem } from '../../ui/rem.js';

/** In rem. */
const HEIGHT = 13.75;

interface ChartSeries {
  readonly label: string;
  /** A design token's name, as `accent`. */
  readonly color: string;
  /** Null where there is none. */
  readonly values: readonly (number | null)[];
  /** Of a line: the lengths of its dashes and gaps, so that lines differ without their colours too. */
  readonly dash?: readonly number[];
}

interface ChartProps {
  /** What the chart shows, in words. */
  readonly summary: string;
  /** Days in UTC, as `2026-11-22`. */
  readonly days: readonly string[];
  readonly shape?: 'bars' | 'lines';
  /** Of bars the largest first: each is drawn over the one before. */
  readonly series: readonly ChartSeries[];
  /** Of the axis of values. */
  readonly ticks: TickLabels;
}

/** Values by day, as bars or lines. The words say what it shows; the page's table has the figures. */
export default function Chart({ summary, days, shape = 'bars', series, ticks }: ChartProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const unit = useRem();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const color = colorsOf(element);
    const isEmpty = series.every(({ values }) => values.every((value) => (value ?? 0) === 0));
    const axis = {
      font: `${0.75 * unit}px system-ui, sans-serif`,
      stroke: () => color('muted'),
      grid: { stroke: () => color('line'), width: 1 },
    };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT * unit,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: true }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
        axes: [
          { ...axis, size: 3.125 * unit, space: 3.125 * unit, grid: { show: false }, values: '{MMM} {D}' },
          {
            ...axis,
            size: 4 * unit,
            space: 1.875 * unit,
            // Above nothing there is nothing to read.
            ...(isEmpty && { splits: () => [0] }),
            values: (_, splits) => ticks(splits),
          },
        ],
        series: [
          {},
          ...series.map(({ label, color: token, dash = [] }) => ({
            label,
            stroke: () => color(token),
            ...(shape === 'bars'
              ? {
                  fill: () => color(token),
                  width: 0,
                  points: { show: false },
                  paths: uPlot.paths.bars?.({ size: [0.7, 40] }),
                }
              : { width: 2, dash: [...dash], points: { show: true, size: 5, fill: () => color(token) } }),
          })),
        ],
      },
      // The axis writes local dates: each day stands at its local midnight.
      [days.map((day) => Date.parse(`${day}T00:00`) / 1000), ...series.map(({ values }) => [...values])],
      element,
    );
    const resized = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT * unit }),
    );
    resized.observe(element);
    // In the next frame the colours are those of the new theme.
    let frameId = 0;
    const redraw = () => {
      cancelAnimationFrame(frameId);
      frameId = requestAnimationFrame(() => chart.redraw(false));
    };
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    const themed = new MutationObserver(redraw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      cancelAnimationFrame(frameId);
      resized.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', redraw);
      chart.destroy();
    };
  }, [days, shape, series, ticks, unit]);
  return (
    <figure className="flex flex-col gap-2">
      <div ref={frame} role="img" aria-label={summary} className="min-w-0 overflow-hidden" />
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {series.map(({ label, color, dash }) => (
          <span key={label} className="inline-flex items-center gap-1.5">
            {shape === 'bars' ? (
              <span aria-hidden className="size-2.5 rounded-sm" style={{ background: `var(--${color})` }} />
            ) : (
              <svg aria-hidden="true" viewBox="0 0 20 4" className="h-1 w-5">
                <path
                  d="M0 2h20"
                  stroke={`var(--${color})`}
                  strokeWidth={2}
                  strokeDasharray={dash?.join(' ')}
                />
              </svg>
            )}
            {label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** A canvas knows no tokens: the browser computes what each is in the theme of now. */
function colorsOf(element: HTMLElement): (token: string) => string {
  return (token) => {
    element.style.color = `var(--${token})`;
    const { color } = getComputedStyle(element);
    element.style.removeProperty('color');
    return color;
  };
}
