/**
 * The providers that the media workers can run, one entry a kind and vendor: the API's matrix, the defaults, the
 * price table and the workers' registry are held against it. An entry appears with its adapter.
 */
export const PROVIDER_KINDS = ['stt', 'llm', 'tts', 'realtime'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Who is reached over the network, with the environment variables that hold its key and its address. */
export const VENDORS = {
  deepgram: { key: 'DEEPGRAM_API_KEY', url: 'DEEPGRAM_URL' },
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  elevenlabs: { key: 'ELEVENLABS_API_KEY', url: 'ELEVENLABS_URL' },
  gemini: { key: 'GEMINI_API_KEY', url: 'GEMINI_URL' },
} as const;
export type Vendor = keyof typeof VENDORS;

export interface CatalogueProvider {
  readonly kind: ProviderKind;
  /** As agents name it in `voice_config`. */
  readonly name: string;
  /** Null: it runs on this machine, without a key. */
  readonly vendor: Vendor | null;
  /**
   * What it needs to be reached: `key`; `key_or_url` where a server of one's own may want no key; `nothing` on
   * this machine.
   */
  readonly needs: 'key' | 'key_or_url' | 'nothing';
  /** What an empty model means; empty where there is but one. */
  readonly defaultModel: string;
  /** Model families by the beginning of their names. */
  readonly models: readonly string[] | 'any';
  readonly note: string;
}

export const PROVIDER_CATALOGUE: readonly CatalogueProvider[] = [
  {
    kind: 'stt',
    name: 'deepgram',
    vendor: 'deepgram',
    needs: 'key',
    defaultModel: 'nova-3',
    models: ['nova-3', 'flux'],
    note: '',
  },
  {
    kind: 'stt',
    name: 'local',
    vendor: null,
    needs: 'nothing',
    defaultModel: '',
    models: 'any',
    note: 'keyless; without a model it understands simulated people only',
  },
  {
    kind: 'llm',
    name: 'openai',
    vendor: 'openai',
    needs: 'key_or_url',
    defaultModel: 'gpt-4.1-mini',
    models: 'any',
    note: 'and every compatible server by `params.base_url`',
  },
  {
    kind: 'llm',
    name: 'local',
    vendor: null,
    needs: 'nothing',
    defaultModel: '',
    models: 'any',
    note: 'keyless; a rule-based stand-in',
  },
  {
    kind: 'tts',
    name: 'elevenlabs',
    vendor: 'elevenlabs',
    needs: 'key',
    defaultModel: 'eleven_flash_v2_5',
    models: 'any',
    note: '',
  },
  {
    kind: 'tts',
    name: 'local',
    vendor: null,
    needs: 'nothing',
    defaultModel: '',
    models: 'any',
    note: 'keyless; without a model espeak-ng speaks',
  },
  {
    kind: 'realtime',
    name: 'openai',
    vendor: 'openai',
    needs: 'key',
    defaultModel: 'gpt-realtime',
    models: ['gpt-realtime'],
    note: 'Realtime API',
  },
  {
    kind: 'realtime',
    name: 'gemini',
    vendor: 'gemini',
    needs: 'key',
    defaultModel: 'gemini-3.8-live',
    models: ['gemini-3.8-live', 'gemini-3.1-flash-live', 'gemini-2.5-flash-native-audio'],
    note: 'Live API',
  },
];

export function findProvider(kind: ProviderKind, name: string): CatalogueProvider | undefined {
  return PROVIDER_CATALOGUE.find((entry) => entry.kind === kind && entry.name === name);
}

/** The names of a kind's providers, as agents give them. */
export function providerNames(kind: ProviderKind): string[] {
  return PROVIDER_CATALOGUE.filter((entry) => entry.kind === kind).map(({ name }) => name);
}

/** Whether the model belongs to a family of the provider's; an empty one is its default. */
export function isKnownModel({ models }: Pick<CatalogueProvider, 'models'>, model: string): boolean {
  return model === '' || models === 'any' || models.some((family) => model.startsWith(family));
}

/** Whether the provider runs on this machine and costs nothing. */
export function isKeyless(kind: ProviderKind, name: string): boolean {
  return PROVIDER_CATALOGUE.some(
    (entry) => entry.kind === kind && entry.name === name && entry.vendor === null,
  );
}
