import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../system/process.js';
import { htmlOf, markdownOf, type ReportDocument } from './document.js';

const FOLDER = join(ROOT, 'loadtest/reports');

/** Writes a report as `<name>.html` and `<name>.md` with its plots; returns the paths of both. */
export function writeReport(name: string, document: ReportDocument): string[] {
  mkdirSync(FOLDER, { recursive: true });
  const { text, plots } = markdownOf(document);
  const html = join(FOLDER, `${name}.html`);
  const markdown = join(FOLDER, `${name}.md`);
  writeFileSync(html, htmlOf(document));
  writeFileSync(markdown, text);
  for (const [file, svg] of plots) writeFileSync(join(FOLDER, file), svg);
  return [html, markdown];
}
