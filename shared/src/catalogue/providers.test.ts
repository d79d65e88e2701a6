import { describe, expect, it } from 'vitest';
import { isSpokenLanguage } from './languages.js';
import {
  canonicalFamilies,
  findProvider,
  isKnownModel,
  LIST_PRICES,
  modelOf,
  PROVIDER_CATALOGUE,
  paramsOf,
  VENDORS,
} from './providers.js';
import { NO_ACCOUNTS } from './testing/no-accounts.js';
import { vendorAccounts, vendorVariables } from './vendor-accounts.js';

const entries = PROVIDER_CATALOGUE.map((entry) => [`${entry.kind} ${entry.name}`, entry] as const);
const deepgram = findProvider('stt', 'deepgram')!;

describe('the provider catalogue', () => {
  it('has one entry for each kind and name', () => {
    const names = entries.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(entries)('knows of %s: the default model, and languages that agents can have', (_, entry) => {
    expect(isKnownModel(entry, entry.defaultModel)).toBe(true);
    expect(modelOf(entry, '')).toBe(modelOf(entry, entry.defaultModel));
    for (const { languages } of entry.models) {
      if (languages === 'unlisted') continue;
      expect(new Set(languages).size).toBe(languages.length);
      expect(languages.filter((language) => !isSpokenLanguage(language))).toEqual([]);
    }
  });

  it.each(entries)('takes the credentials of %s among its parameters, and needs none of them', (_, entry) => {
    for (const model of ['', ...entry.models.map(({ family }) => family)]) {
      const schema = paramsOf(entry, model);
      expect(Object.keys(schema.shape)).toEqual(expect.arrayContaining(Object.keys(entry.credentials.shape)));
      expect(schema.safeParse({}).success).toBe(true);
    }
  });

  it.each(entries)('says of every parameter of %s what it does', (_, { params, models }) => {
    for (const schema of [params, ...models.flatMap((model) => model.params ?? [])]) {
      const silent = Object.entries(schema.shape).filter(([, param]) => !param.description);
      expect(silent.map(([name]) => name)).toEqual([]);
    }
  });

  it.each(entries)('can reach %s with a key, and without one if it runs on this machine', (_, entry) => {
    const access = { url: undefined, isAgentsOwn: false };
    expect(entry.isReachable({ ...access, hasKey: true })).toBe(true);
    expect(entry.isReachable({ ...access, hasKey: false })).toBe(entry.vendor === null);
    expect(entry.price === null).toBe(entry.vendor === null);
  });

  it.each(LIST_PRICES.map((one) => [`${one.kind} ${one.name}`, one.price] as const))(
    'says of the prices of %s when and where they were read',
    (_, { asOf, source, byModel }) => {
      expect(asOf).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/);
      expect(URL.canParse(source)).toBe(true);
      expect(Object.keys(byModel)).toContain('');
    },
  );

  it('knows a model by the longest family that its name begins with', () => {
    expect(modelOf(deepgram, 'flux-general-en')).toMatchObject({ family: 'flux', languages: ['en'] });
    expect(modelOf(deepgram, 'flux-general-multi')?.languages).toContain('es');
    expect(modelOf(deepgram, 'whisper')).toBeUndefined();
    expect(isKnownModel(deepgram, 'whisper')).toBe(false);
    expect(canonicalFamilies(deepgram)).toEqual(['nova-3', 'flux']);
    expect(canonicalFamilies(findProvider('llm', 'openai')!)).toBeNull();
  });

  it('has parameters by model where a vendor has two protocols', () => {
    const takes = (model: string, params: object) => paramsOf(deepgram, model).safeParse(params).success;
    expect(takes('nova-3', { utterance_end_ms: 10 })).toBe(false);
    expect(takes('flux-general-en', { utterance_end_ms: 10 })).toBe(true);
    expect(takes('flux-general-en', { eot_threshold: 2 })).toBe(false);
    expect(takes('', { eot_threshold: 2 })).toBe(true);
  });
});

describe("vendors' accounts", () => {
  it('are read from the variables that the catalogue names', () => {
    const environment = Object.fromEntries(Object.keys(vendorVariables).map((name) => [name, undefined]));
    const read = (given: Record<string, string>) =>
      vendorAccounts({ ...environment, ...given } as Parameters<typeof vendorAccounts>[0]);
    expect(read({ OPENAI_BASE_URL: 'http://127.0.0.1:1', OPENAI_MODEL: 'llama' })).toEqual({
      ...NO_ACCOUNTS,
      openai: { url: 'http://127.0.0.1:1', model: 'llama' },
    });
    for (const [vendor, { apiKey }] of Object.entries(VENDORS)) {
      expect(read({ [apiKey]: 'k' })[vendor as keyof typeof VENDORS].apiKey).toBe('k');
    }
  });
});
