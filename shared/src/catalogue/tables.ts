import type { CarrierEntry } from './carrier-entry.js';
import { CARRIERS } from './carriers.js';
import { canonicalFamilies, PROVIDER_CATALOGUE, type ProviderKind, VENDORS } from './providers.js';

/** What a kind's prices are of. */
export const PRICE_UNITS: Readonly<Record<ProviderKind, string>> = {
  stt: 'minute of audio',
  llm: 'million tokens',
  tts: 'thousand characters',
  realtime: 'million tokens',
};

/** Returns the provider matrix as a table in Markdown: for the API's description and the documentation. Pure. */
export function providerTable(): string {
  return table(
    ['Kind', 'Provider', 'Models', 'Default model', 'Key', 'Price list', 'Note'],
    PROVIDER_CATALOGUE.map((entry) => [
      entry.kind,
      code(entry.name),
      canonicalFamilies(entry)?.map(code).join(', ') ?? 'any',
      entry.defaultModel === '' ? '' : code(entry.defaultModel),
      entry.vendor === null ? 'none' : code(VENDORS[entry.vendor].apiKey),
      entry.price === null ? 'free' : priceList(entry.price),
      entry.note,
    ]),
  );
}

/** Returns the carriers in the same form. Pure. */
export function carrierTable(): string {
  return table(
    ['Carrier', '`provider`', 'Variables', 'Media streams', 'Says its own price', 'Price list'],
    Object.entries<CarrierEntry>(CARRIERS)
      .filter(([, { mode }]) => mode === 'production')
      .map(([name, { label, variables, capabilities, prices }]) => [
        label,
        code(name),
        Object.values(variables).map(code).join(', '),
        capabilities.codecs.join(', '),
        SAYS_PRICE[capabilities.ownPrice],
        prices === null ? 'free' : priceList(prices),
      ]),
  );
}

const SAYS_PRICE = { request: 'when asked', callback: 'by callback', none: 'no' } as const;

const code = (text: string) => `\`${text}\``;
const priceList = ({ source, asOf }: { readonly source: string; readonly asOf: string }) =>
  `[${asOf}](${source})`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
