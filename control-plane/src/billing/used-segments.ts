import { findProvider } from '@voice/shared/catalogue/providers';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { CallUsage, UsageSegment } from '@voice/shared/contracts/call-events';
import { chatChoiceOf } from '../language-model/language-models.js';
import type { ModelTokens } from '../language-model/port.js';
import { PROXIED_PROVIDER } from '../language-model/proxy/proxied-plan.js';
import { isOwn, ownAccountsOf } from './own-accounts.js';

/** What one model of one provider did for a call, and whether on the tenant's own account or server. */
export interface UsedSegment {
  readonly segment: UsageSegment;
  readonly own: boolean;
}

/** Everything that counted what a call used of providers. */
export interface CountedUsage {
  /** The worker's word; null when its last one never came. */
  readonly usage: CallUsage | null;
  readonly agent: Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config' | 'own_vendors'>;
  /** Those that the call was handed to. */
  readonly laterAgents?: readonly Pick<
    AgentSnapshot,
    'id' | 'voice_config' | 'fallback_voice_config' | 'own_vendors'
  >[];
  /** By model, of the language model proxy: what the call's worker was answered through it. */
  readonly proxied: readonly ModelTokens[];
  /** Of the analysis after the call; null where there was none, or it failed. */
  readonly analysis: ModelTokens | null;
}

/**
 * Returns what of it was of no use, by the worker's word. It is a part of what was used, never something beside it.
 * Pure.
 */
export function wastedSegments(
  counted: Pick<CountedUsage, 'usage' | 'agent' | 'laterAgents'>,
): UsedSegment[] {
  const isOwnOf = ownership(counted);
  return (counted.usage?.wasted ?? []).map(({ reason: _, ...segment }) => ({
    segment,
    own: isOwnOf(segment),
  }));
}

/** Returns what a call used, each answer counted once, by worker or proxy. Pure. */
export function usedSegments(counted: CountedUsage): UsedSegment[] {
  const { usage, agent, proxied, analysis } = counted;
  const isOwnOf = ownership(counted);
  const reported = (usage?.segments ?? (usage ? segmentsOfTotals(usage) : [])).map((segment) => ({
    segment,
    own: isOwnOf(segment),
  }));
  return [...proxied.reduce(withProxied, reported), ...(analysis ? [analysed(agent, analysis)] : [])];
}

/** Returns whether a segment was on the tenant's account: by the agent that it was used for. */
function ownership({
  agent,
  laterAgents = [],
}: Pick<CountedUsage, 'agent' | 'laterAgents'>): (segment: UsageSegment) => boolean {
  const first = ownAccountsOf(agent);
  const later = new Map(laterAgents.map((each) => [each.id, ownAccountsOf(each)]));
  return ({ agent_id: id, fallback, kind }) => {
    const accounts = (id === undefined ? undefined : later.get(id)) ?? first;
    return (fallback ? accounts.fallback : accounts.first).has(kind);
  };
}

function segmentsOfTotals({ stt, llm, tts, realtime }: CallUsage): UsageSegment[] {
  // Of a speech-to-speech call, the three are what its fallback did.
  const fallback = realtime !== undefined;
  return [
    ...(realtime ? [{ kind: 'realtime' as const, fallback: false, ...realtime }] : []),
    { kind: 'stt', fallback, ...stt },
    { kind: 'llm', fallback, ...llm },
    { kind: 'tts', fallback, ...tts },
  ];
}

/**
 * Worker and proxy counted the same answers of a model: the one that heard of more counts, which is the proxy
 * where the worker died or hung up on an answer, and the worker where the proxy could not note one.
 */
function withProxied(used: readonly UsedSegment[], proxied: ModelTokens): UsedSegment[] {
  const same = ({ segment, own }: UsedSegment) =>
    segment.kind === 'llm' &&
    !own &&
    segment.provider === PROXIED_PROVIDER &&
    segment.model === proxied.model;
  const reported = used.filter(same).reduce((sum, { segment }) => sum + tokensOf(segment), 0);
  if (reported >= proxied.inputTokens + proxied.outputTokens) return [...used];
  return [
    ...used.filter((one) => !same(one)),
    { segment: llmSegment(PROXIED_PROVIDER, proxied), own: false },
  ];
}

function analysed(agent: CountedUsage['agent'], tokens: ModelTokens): UsedSegment {
  const choice = chatChoiceOf(agent.voice_config);
  // Whoever names no model is answered by the provider's default, at the rate of that.
  const model = tokens.model || (findProvider('llm', choice.provider)?.defaultModel ?? '');
  return {
    segment: llmSegment(choice.provider, { ...tokens, model }),
    own: isOwn('llm', choice, agent.own_vendors),
  };
}

function llmSegment(provider: string, { model, inputTokens, outputTokens }: ModelTokens): UsageSegment {
  return {
    kind: 'llm',
    provider,
    model,
    fallback: false,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
  };
}

function tokensOf(segment: UsageSegment): number {
  return segment.kind === 'llm' ? segment.input_tokens + segment.output_tokens : 0;
}

/** What was used in all, as the usage summary adds it up. */
export interface UsedTotals {
  readonly stt_audio_ms: number;
  readonly llm_input_tokens: number;
  readonly llm_output_tokens: number;
  readonly tts_characters: number;
  readonly realtime: RealtimeTotals;
}

/** Of speech-to-speech models. */
export const REALTIME_COUNTS = [
  'audio_ms',
  'input_audio_tokens',
  'input_text_tokens',
  'cached_audio_tokens',
  'cached_text_tokens',
  'output_audio_tokens',
  'output_text_tokens',
] as const;
export type RealtimeTotals = Readonly<Record<(typeof REALTIME_COUNTS)[number], number>>;

/** Own accounts and servers included. Pure. */
export function totalsOf(used: readonly UsedSegment[]): UsedTotals {
  const sum = (amount: (segment: UsageSegment) => number) =>
    used.reduce((total, { segment }) => total + amount(segment), 0);
  return {
    stt_audio_ms: sum((segment) => (segment.kind === 'stt' ? segment.audio_ms : 0)),
    llm_input_tokens: sum((segment) => (segment.kind === 'llm' ? segment.input_tokens : 0)),
    llm_output_tokens: sum((segment) => (segment.kind === 'llm' ? segment.output_tokens : 0)),
    tts_characters: sum((segment) => (segment.kind === 'tts' ? segment.characters : 0)),
    realtime: Object.fromEntries(
      REALTIME_COUNTS.map((name) => [
        name,
        sum((segment) => (segment.kind === 'realtime' ? segment[name] : 0)),
      ]),
    ) as RealtimeTotals,
  };
}
