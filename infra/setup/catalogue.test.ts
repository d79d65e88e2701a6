import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CARRIER_NAMES,
  CARRIERS,
  type CarrierName,
  carrierVariables,
  PRODUCTION_CARRIERS,
} from '@voice/shared/catalogue/carriers';
import { carrierTable, providerTable } from '@voice/shared/catalogue/tables';
import { VENDOR_NAMES, VENDORS, type Vendor, vendorVariables } from '@voice/shared/catalogue/vendor-accounts';
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
  /** Every one is bound to the names of the catalogue by its types, and does not compile without one of them. */
  const EXHAUSTIVE = [
    'control-plane/src/language-model/language-models.ts',
    'control-plane/src/telephony/carriers/registration.ts',
    'control-plane/src/vendors/vendor-api.ts',
    'control-plane/src/vendors/voices/voice-lists.ts',
    'control-plane/dashboard/src/pages/numbers/query.ts',
    'control-plane/dashboard/src/pages/settings/vendor-keys/names.ts',
    'media-plane/src/lines/carrier-codecs.ts',
    'media-plane/src/providers/registry/registry.ts',
  ];
  /** Names more than one for a reason of its own. */
  const WITH_REASON = {
    'control-plane/dashboard/src/pages/start/page.tsx': 'a sentence with some of the keys as examples',
    'control-plane/src/language-model/openai/client.ts': 'OpenAI and Gemini speak one API',
    'control-plane/src/platform/http/openapi/property-examples.ts': 'examples of single fields',
    'control-plane/src/platform/http/openapi/response-examples.ts': 'the agent of the examples',
    'control-plane/src/specification/scene.ts': 'the agent of the tests of the specification',
    'control-plane/src/vendors/voices/sdk/messages.ts': 'two vendors’ SDKs are installed',
    'control-plane/src/vendors/voices/vendor-voices.ts': 'the form of each list of voices',
    'infra/configuration/words.ts': 'a variable without words fails configuration’s test',
  };
  const isAllowed = (path: string) => EXHAUSTIVE.includes(path) || path in WITH_REASON;
  const sources = [
    'control-plane/src',
    'control-plane/dashboard/src',
    'media-plane/src',
    'shared/src',
    ...['cli', 'configuration', 'installation', 'launcher', 'setup'].map((folder) => `infra/${folder}`),
  ]
    .flatMap((folder) => ['.ts', '.tsx', '.mjs'].flatMap((ending) => filesIn(folder, ending)))
    .filter((path) => !/\.test\.tsx?$|\/testing\/|\.d\.ts$|^shared\/src\/catalogue\//.test(path));

  const variablesOf = (variables: object) => Object.values<string>({ ...variables });
  /** What stands for each name: the name itself, in quotes or before a colon, and the variables of its account. */
  const signs = (names: readonly string[], variables: (name: string) => object) =>
    names.map(
      (name) => new RegExp(`['"]${name}['"]|\\b${name}:|\\b(${variablesOf(variables(name)).join('|')})\\b`),
    );
  const carriers = signs(PRODUCTION_CARRIERS, (name) => CARRIERS[name as CarrierName].variables);
  const vendors = signs(VENDOR_NAMES, (name) => VENDORS[name as Vendor]);
  const lists = sources.filter((path) => {
    const text = read(path);
    return [carriers, vendors].some((kind) => kind.filter((sign) => sign.test(text)).length > 1);
  });

  it('lists carriers and vendors by name in the catalogue, and where its types or a reason are beside them', () => {
    expect(sources.length).toBeGreaterThan(1000);
    expect(lists.filter((path) => !isAllowed(path))).toEqual([]);
  });

  it('names no exception that is none any more', () => {
    const allowed = [...EXHAUSTIVE, ...Object.keys(WITH_REASON)];
    expect(allowed.filter((path) => !lists.includes(path))).toEqual([]);
  });

  it('asks no carrier of which class it is', () => {
    const asking = sources.filter((path) =>
      CARRIER_NAMES.some((name) => new RegExp(`instanceof ${name}Carrier\\b`, 'i').test(read(path))),
    );
    expect(asking).toEqual([]);
  });
});
