import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CARRIER_NAMES, carrierVariables, PRODUCTION_CARRIERS } from '@voice/shared/catalogue/carriers';
import { carrierTable, providerTable } from '@voice/shared/catalogue/tables';
import { vendorVariables } from '@voice/shared/catalogue/vendor-accounts';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string, ending: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path));

/** What stands between `<!-- name: … -->` and `<!-- /name -->`, wherever in the documentation. */
function documented(name: string): string[] {
  const block = new RegExp(`<!-- ${name}:[^>]*-->\n([^]*?)\n<!-- /${name} -->`, 'g');
  return ['README.md', ...filesIn('docs', '.md')].flatMap((path) =>
    [...read(path).matchAll(block)].map(([, content]) => content!),
  );
}

describe('the documentation', () => {
  it('has the providers of the catalogue in one table', () => {
    expect(documented('providers')).toEqual([providerTable()]);
  });

  it('has the carriers of the catalogue in one table', () => {
    expect(documented('carriers')).toEqual([carrierTable()]);
  });

  it('names the variables of every vendor and carrier', () => {
    const text = ['README.md', ...filesIn('docs', '.md')].map(read).join('\n');
    for (const variable of Object.keys({ ...vendorVariables, ...carrierVariables })) {
      expect(text).toContain(`\`${variable}\``);
    }
  });
});

describe('the source', () => {
  /** The catalogue, and one registration on each plane. */
  const REGISTRATIONS =
    /^(shared\/src\/catalogue\/|control-plane\/src\/.*registration\.ts|media-plane\/src\/lines\/carrier-codecs\.ts)/;
  const sources = ['control-plane/src', 'media-plane/src', 'shared/src', 'infra/launcher', 'infra/setup']
    .flatMap((folder) => filesIn(folder, '.ts'))
    .filter((path) => !/\.test\.ts$|\/testing\/|\.d\.ts$/.test(path) && !REGISTRATIONS.test(path));

  it('lists carriers by name in the catalogue and its registrations only', () => {
    expect(sources.length).toBeGreaterThan(300);
    const lists = sources.filter((path) => {
      const named = new Set([...read(path).matchAll(/'([a-z]+)'/g)].map(([, name]) => name!));
      return PRODUCTION_CARRIERS.filter((name) => named.has(name)).length > 1;
    });
    expect(lists).toEqual([]);
  });

  it('asks no carrier of which class it is', () => {
    const asking = sources.filter((path) =>
      CARRIER_NAMES.some((name) => new RegExp(`instanceof ${name}Carrier\\b`, 'i').test(read(path))),
    );
    expect(asking).toEqual([]);
  });
});
