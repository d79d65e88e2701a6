import { type CatalogueProvider, findProvider } from '@voice/shared/catalogue/providers';
import { deepgramSpeechToText } from '@voice/shared/catalogue/vendors/deepgram';
import { elevenLabsTextToSpeech } from '@voice/shared/catalogue/vendors/elevenlabs';
import { openAiLanguageModel } from '@voice/shared/catalogue/vendors/openai';
import type { AgentSnapshot, ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';
import type { UsageSegment } from '@voice/shared/contracts/call-events';
import { type CallCost, totalOf } from '../platform/money/call-cost.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import type { RateTable } from '../platform/money/rates.js';
import type { CarrierLine } from './carrier-rate.js';
import { costOfCall } from './cost-of-call.js';
import { ownAccountsOf } from './own-accounts.js';

const MINUTE_MS = 60_000;

export type HeldAgent = Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config' | 'own_vendors'>;

/** What decides how much a minute of a call is taken to cost until it is known. */
export interface TypicalCall extends CarrierLine {
  readonly agent: HeldAgent;
}

/** The cascade that is assumed where the agent is not known. */
export const ASSUMED_AGENT: HeldAgent = {
  voice_config: {
    stt: byDefault(deepgramSpeechToText),
    llm: byDefault(openAiLanguageModel),
    tts: byDefault(elevenLabsTextToSpeech),
  },
  fallback_voice_config: {},
};

function byDefault({ name, defaultModel }: Pick<CatalogueProvider, 'name' | 'defaultModel'>): ProviderChoice {
  return { provider: name, model: defaultModel, params: {} };
}

/**
 * Returns what a minute of conversation with the agent costs, by and large, on its own providers, models and accounts.
 * Pure.
 */
export function typicalMinute(call: TypicalCall, rates: RateTable): MicroDollars {
  return totalOf(costOfTypicalMinute(call, rates));
}

/** Returns the same by its parts. Pure. */
export function costOfTypicalMinute({ agent, ...line }: TypicalCall, rates: RateTable): CallCost {
  const own = ownAccountsOf(agent).first;
  const used = minuteOf(agent.voice_config).map((segment) => ({ segment, own: own.has(segment.kind) }));
  return costOfCall({ sandbox: false, durationMs: MINUTE_MS, ...line, carrierPrice: null, used }, rates);
}

/** Returns what the minute uses: all of it heard, 75 words of it said, ten turns thought over. */
function minuteOf(voice: VoiceConfig): readonly UsageSegment[] {
  if ('realtime' in voice) {
    return [
      {
        kind: 'realtime',
        ...named('realtime', voice.realtime),
        audio_ms: MINUTE_MS,
        // Ten tokens a second of caller and twenty of agent (OpenAI), heard again with every turn, mostly cached.
        input_audio_tokens: 6_000,
        cached_audio_tokens: 4_500,
        output_audio_tokens: 600,
        input_text_tokens: 10_000,
        cached_text_tokens: 9_000,
        output_text_tokens: 150,
      },
    ];
  }
  return [
    { kind: 'stt', ...named('stt', voice.stt), audio_ms: MINUTE_MS },
    { kind: 'llm', ...named('llm', voice.llm), input_tokens: 6_000, output_tokens: 150 },
    { kind: 'tts', ...named('tts', voice.tts), characters: 450 },
  ];
}

function named(kind: 'stt' | 'llm' | 'tts' | 'realtime', { provider, model }: ProviderChoice) {
  const meant = model === '' ? (findProvider(kind, provider)?.defaultModel ?? '') : model;
  return { provider, model: meant, fallback: false };
}
