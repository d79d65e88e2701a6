import { assemblyAiParams } from '../params/assemblyai.js';
import { needsKey, noAccount, type ProviderEntry } from '../provider-entry.js';

/** assemblyai.com/docs, "Multilingual streaming". */
const MULTILINGUAL = ['en', 'es', 'fr', 'de', 'it', 'pt'];

/** Speech to text: streaming, v3. */
export const assemblyAiSpeechToText = {
  kind: 'stt',
  name: 'assemblyai',
  vendor: 'assemblyai',
  defaultModel: 'universal-streaming-english',
  models: [
    { family: 'universal-streaming-english', capabilities: ['end_of_turn'], languages: ['en'] },
    { family: 'universal-streaming-multilingual', capabilities: ['end_of_turn'], languages: MULTILINGUAL },
    { family: 'u3-rt-pro', capabilities: ['end_of_turn'], languages: MULTILINGUAL },
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
