import { escapeXml, type Plot, svgPlot } from './plot.js';

/** A report, before it is written as HTML or Markdown. */
export interface ReportDocument {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  /** `name`: of its file beside the Markdown. */
  | { readonly kind: 'plot'; readonly name: string; readonly plot: Plot };

const STYLE =
  'body{font:15px/1.5 sans-serif;max-width:780px;margin:2em auto;padding:0 1em;color:#222}' +
  'table{border-collapse:collapse;margin:1em 0}td,th{border-bottom:1px solid #ddd;padding:.25em .8em;text-align:right}' +
  'td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto;margin:.5em 0}';

/** Writes one HTML file that needs no other: no script, no style sheet, plots in it. Pure. */
export function htmlOf({ title, blocks }: ReportDocument): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
<h1>${escapeXml(title)}</h1>
${blocks.map(htmlBlock).join('\n')}
</html>
`;
}

function htmlBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h2>${escapeXml(block.text)}</h2>`;
    case 'text':
      return `<p>${escapeXml(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeXml(item)}</li>`).join('')}</ul>`;
    case 'table': {
      const row = (cells: readonly string[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('')}</tr>`;
      return `<table>${row(block.head, 'th')}${block.rows.map((cells) => row(cells, 'td')).join('')}</table>`;
    }
    case 'plot':
      return svgPlot(block.plot);
  }
}

/** Writes Markdown, and the plots that it shows as files beside it. Pure. */
export function markdownOf({ title, blocks }: ReportDocument): {
  readonly text: string;
  readonly plots: ReadonlyMap<string, string>;
} {
  const plots = new Map<string, string>();
  const written = blocks.map((block) => markdownBlock(block, plots));
  return { text: `# ${title}\n\n${written.join('\n\n')}\n`, plots };
}

function markdownBlock(block: Block, plots: Map<string, string>): string {
  switch (block.kind) {
    case 'heading':
      return `## ${block.text}`;
    case 'text':
      return block.text;
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'table':
      return [block.head, block.head.map((_, n) => (n === 0 ? '---' : '---:')), ...block.rows]
        .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
        .join('\n');
    case 'plot':
      plots.set(`${block.name}.svg`, svgPlot(block.plot));
      return `![${block.plot.title}](${block.name}.svg)`;
  }
}
