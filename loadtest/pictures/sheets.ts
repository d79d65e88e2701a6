import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext } from 'playwright-core';

/** Pictures of a sheet, and in a row of it. */
const [A_SHEET, A_ROW] = [
  { 1280: 9, 375: 24 },
  { 1280: 3, 375: 8 },
];
const WIDTH = 1800;

/** Puts the pictures on sheets, many small ones on each, to be looked through. Returns the folder. */
export async function makeSheets(context: BrowserContext, folder: string): Promise<string> {
  const sheets = join(folder, 'sheets');
  mkdirSync(sheets, { recursive: true });
  const page = await context.newPage();
  const pictures = readdirSync(folder)
    .filter((name) => name.endsWith('.jpg'))
    .sort();
  for (const width of [1280, 375] as const) {
    for (const theme of ['light', 'dark']) {
      const these = pictures.filter((name) => name.endsWith(`-${width}-${theme}.jpg`));
      for (let at = 0; at < these.length; at += A_SHEET[width]) {
        const shown = these.slice(at, at + A_SHEET[width]);
        // Of the folder, so that its files may be shown.
        await page.goto(pathToFileURL(`${folder}/`).href);
        await page.setViewportSize({ width: WIDTH, height: 900 });
        await page.setContent(sheetOf(shown, folder, A_ROW[width]));
        await page.waitForFunction('[...document.images].every((image) => image.complete)');
        await page.screenshot({
          path: join(sheets, `${width}-${theme}-${String(at / A_SHEET[width]).padStart(2, '0')}.png`),
          fullPage: true,
        });
      }
    }
  }
  await page.close();
  return sheets;
}

function sheetOf(names: readonly string[], folder: string, columns: number): string {
  const figures = names.map(
    (name) =>
      `<figure style="margin:0"><img style="width:100%;display:block" src="${pathToFileURL(join(folder, name)).href}">` +
      `<figcaption>${name}</figcaption></figure>`,
  );
  return `<body style="margin:8px;font:12px sans-serif;display:grid;gap:8px;grid-template-columns:repeat(${columns},1fr)">${figures.join('')}`;
}
