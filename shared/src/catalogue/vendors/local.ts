import { z } from 'zod';
import { localSpeechToTextParams, localVoiceParams } from '../params/local.js';
import { needsNothing, noAccount, type ProviderEntry } from '../provider-entry.js';

/** What of the entries is the same: on this machine, without a key, for nothing. */
const ON_THIS_MACHINE = {
  name: 'local',
  vendor: null,
  defaultModel: '',
  takesAnyModel: true,
  credentials: noAccount,
  isReachable: needsNothing,
  price: null,
} as const;

export const localSpeechToText = {
  ...ON_THIS_MACHINE,
  kind: 'stt',
  models: [{ family: '', capabilities: [], languages: 'unlisted' }],
  params: localSpeechToTextParams,
  note: 'keyless; without a model it understands simulated people only',
} as const satisfies ProviderEntry<'stt'>;

export const localLanguageModel = {
  ...ON_THIS_MACHINE,
  kind: 'llm',
  models: [{ family: '', capabilities: ['tools'], languages: ['en'] }],
  params: z.object({}),
  note: 'keyless; a rule-based stand-in',
} as const satisfies ProviderEntry<'llm'>;

export const localTextToSpeech = {
  ...ON_THIS_MACHINE,
  kind: 'tts',
  models: [{ family: '', capabilities: ['word_timings', 'language_choice'], languages: 'unlisted' }],
  params: localVoiceParams,
  note: 'keyless; without a model espeak-ng speaks',
} as const satisfies ProviderEntry<'tts'>;
