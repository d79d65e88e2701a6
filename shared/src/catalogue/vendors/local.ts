import { z } from 'zod';
import { localSpeechToTextParams, localVoiceParams } from '../params/local.js';
import { needsNothing, noAccount, type ProviderEntry } from '../provider-entry.js';

/** Measured on an idle core, and its p95: the machine of a local agent has more to do. */
const measuredHere = (ms: number) =>
  ({ ms, by: 'platform', source: 'docs/performance.md#local-models', asOf: '2026-11' }) as const;

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
  models: [{ family: '', capabilities: [], languages: 'unlisted', latency: measuredHere(184) }],
  params: localSpeechToTextParams,
  note: 'Needs no key. Without a model it understands simulated people only.',
} as const satisfies ProviderEntry<'stt'>;

export const localLanguageModel = {
  ...ON_THIS_MACHINE,
  kind: 'llm',
  models: [
    {
      family: '',
      capabilities: ['tools'],
      languages: ['en'],
      // Ten words, before most first clauses end, at the 8 ms a word that it waits like a hosted model.
      latency: {
        ms: 80,
        by: 'platform',
        source: 'docs/voice-configuration.md#local-providers',
        asOf: '2026-11',
      },
    },
  ],
  params: z.object({}),
  note: 'Needs no key. A rule-based stand-in for a model.',
} as const satisfies ProviderEntry<'llm'>;

export const localTextToSpeech = {
  ...ON_THIS_MACHINE,
  kind: 'tts',
  models: [
    {
      family: '',
      capabilities: ['word_timings', 'language_choice'],
      languages: 'unlisted',
      latency: measuredHere(104),
    },
  ],
  params: localVoiceParams,
  note: 'Needs no key. Without a model espeak-ng speaks.',
} as const satisfies ProviderEntry<'tts'>;
