import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { CatalogModel } from './catalog.js';
import type { ModelsConfig } from './config.js';

const PYPI = 'https://pypi.org/simple';
const ANSWER_WITHIN_MS = 20_000;
/** PEP 691 (JSON) where the index speaks it, else PEP 503 (HTML). */
const ACCEPT = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5';

const project = z.object({ files: z.array(z.object({ filename: z.string(), url: z.string() })) });

/** Where a file is, and with what headers it is asked for. */
export interface Source {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Finds the index that pip would use: `PIP_INDEX_URL`, then `index-url` of pip's configuration, then PyPI. */
export function indexUrl(config: ModelsConfig): URL {
  const found = config.indexUrl ?? config.pipConfigFiles.map(indexUrlOf).find((url) => url !== undefined);
  return new URL(found ?? PYPI);
}

function indexUrlOf(file: string): string | undefined {
  try {
    return /^\s*index[-_]url\s*[=:]\s*(https?:\S+)\s*$/im.exec(readFileSync(file, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Asks the index where the model's wheel is. Throws an error that says what was asked and answered. */
export async function findWheel(index: URL, model: CatalogModel): Promise<Source> {
  const { address, headers } = withoutUserInfo(index);
  const page = new URL(`${address.href.replace(/\/+$/, '')}/${model.project}/`);
  const response = await fetch(page, {
    headers: { ...headers, accept: ACCEPT },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  if (!response.ok) throw new Error(`${page.href} answered ${response.status}`);
  const body = await response.text();
  const json = (response.headers.get('content-type') ?? '').includes('json');
  const found = json ? fromJson(body, model.wheel) : fromHtml(body, model.wheel);
  if (!found) throw new Error(`${page.href} does not list ${model.wheel}`);
  const url = new URL(found, response.url || page);
  // Credentials go to the index's own host only.
  return { url, headers: url.host === address.host ? headers : {} };
}

function fromJson(body: string, wheel: string): string | undefined {
  return project.parse(JSON.parse(body)).files.find(({ filename }) => filename === wheel)?.url;
}

function fromHtml(body: string, wheel: string): string | undefined {
  for (const [, href] of body.matchAll(/<a\b[^>]*\bhref\s*=\s*["']([^"']+)["']/gi)) {
    const address = href!.replaceAll('&amp;', '&').split('#')[0]!;
    if (decodeURIComponent(address.split('?')[0]!.split('/').at(-1)!) === wheel) return address;
  }
  return undefined;
}

function withoutUserInfo(index: URL): { address: URL; headers: Record<string, string> } {
  const address = new URL(index);
  const { username, password } = address;
  address.username = '';
  address.password = '';
  if (username === '') return { address, headers: {} };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}
