import { assemblyAiParams } from '../params/assemblyai.js';
import { needsKey, noAccount, type ProviderEntry } from '../provider-entry.js';

/** assemblyai.com/docs, "Multilingual streaming". */
const MULTILINGUAL = ['en', 'es', 'fr', 'de', 'it', 'pt'];

/** The final text; the confident end of the turn comes no sooner. */
const about300 = (source: string) => ({ ms: 300, by: 'vendor', source, asOf: '2026-11' }) as const;
const UNIVERSAL = about300('https://www.assemblyai.com/blog/introducing-universal-streaming');

/** Speech to text: streaming, v3. */
export const assemblyAiSpeechToText = {
  kind: 'stt',
  name: 'assemblyai',
  vendor: 'assemblyai',
  defaultModel: 'universal-streaming-english',
  models: [
    {
      family: 'universal-streaming-english',
      capabilities: ['end_of_turn', 'decides_turns'],
      languages: ['en'],
      latency: UNIVERSAL,
    },
    {
      family: 'universal-streaming-multilingual',
      capabilities: ['end_of_turn', 'decides_turns'],
      languages: MULTILINGUAL,
      latency: UNIVERSAL,
    },
    {
      family: 'u3-rt-pro',
      capabilities: ['end_of_turn', 'decides_turns'],
      languages: MULTILINGUAL,
      latency: about300('https://assemblyai.com/docs/streaming/universal-3-pro'),
    },
  ],
  takesAnyModel: false,
  params: assemblyAiParams,
  credentials: noAccount,
  isReachable: needsKey,
  price: {
    asOf: '2026-04',
    // 0.15 an hour, the large model 0.45; of the session, which is open for as long as the call. Could not be checked again.
    source: 'https://www.assemblyai.com/pricing',
    byModel: { '': 0.0025, 'u3-rt-pro': 0.0075 },
  },
  note: '',
} as const satisfies ProviderEntry<'stt'>;
