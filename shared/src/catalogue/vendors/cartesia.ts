import { cartesiaParams } from '../params/cartesia.js';
import { needsKey, noAccount, type ProviderEntry } from '../provider-entry.js';

/** docs.cartesia.ai, Sonic 3. */
const SONIC_3 = (
  'en de es fr ja pt zh hi ko it nl pl ru sv tr tl bg ro ar cs el fi hr ms sk da ta uk hu no vi bn th he ka id te gu ' +
  'kn ml mr pa'
).split(' ');

/** A context takes up text where the last piece of it ended (docs.cartesia.ai, "Contexts"). */
const CAPABILITIES = ['word_timings', 'language_choice', 'starts_mid_clause'] as const;

/** Text to speech. */
export const cartesiaTextToSpeech = {
  kind: 'tts',
  name: 'cartesia',
  vendor: 'cartesia',
  defaultModel: 'sonic-3',
  models: [
    { family: 'sonic-3', capabilities: [...CAPABILITIES], languages: SONIC_3 },
    {
      family: 'sonic-2',
      capabilities: [...CAPABILITIES],
      languages: ['en', 'fr', 'de', 'es', 'pt', 'zh', 'ja', 'ko'],
    },
  ],
  takesAnyModel: false,
  params: cartesiaParams,
  credentials: noAccount,
  isReachable: needsKey,
  price: {
    asOf: '2025-11',
    // Plans sell credits, about one a character: the smallest 100,000 for 5 USD, which could not be checked again.
    source: 'https://cartesia.ai/pricing',
    byModel: { '': 0.05 },
  },
  note: '',
} as const satisfies ProviderEntry<'tts'>;
