import type { CallUsage, UsageSegment, UsageWaste } from '@voice/shared/contracts/call-events';

/** What one agent of a call used. */
export interface AgentUsage {
  /** Undefined for the agent that the call began with. */
  readonly agentId: string | undefined;
  readonly usage: CallUsage;
}

type RealtimeUsage = NonNullable<CallUsage['realtime']>;

/** Adds up what the agents of a call used: totals under the names of the first, segments with whose they are. Pure. */
export function successiveUsage(first: CallUsage, later: readonly AgentUsage[]): CallUsage {
  if (later.length === 0) return first;
  const parts = [{ agentId: undefined, usage: first }, ...later];
  const wasted = parts.flatMap(({ agentId, usage }) =>
    (usage.wasted ?? []).map((waste) => markedBy(agentId, waste)),
  );
  const realtime = parts.flatMap(({ usage }) => usage.realtime ?? []);
  const sum = (amount: (usage: CallUsage) => number) =>
    parts.reduce((total, { usage }) => total + amount(usage), 0);
  return {
    stt: { ...first.stt, audio_ms: sum(({ stt }) => stt.audio_ms) },
    llm: {
      ...first.llm,
      input_tokens: sum(({ llm }) => llm.input_tokens),
      output_tokens: sum(({ llm }) => llm.output_tokens),
    },
    tts: { ...first.tts, characters: sum(({ tts }) => tts.characters) },
    ...(realtime.length === 0 ? {} : { realtime: realtime.reduce(added) }),
    segments: parts.flatMap(segmentsOf),
    ...(wasted.length === 0 ? {} : { wasted }),
  };
}

function segmentsOf({ agentId, usage }: AgentUsage): UsageSegment[] {
  const segments = usage.segments ?? segmentsOfTotals(usage);
  return segments.map((segment) => markedBy(agentId, segment));
}

function markedBy<T extends UsageSegment | UsageWaste>(agentId: string | undefined, used: T): T {
  return agentId === undefined ? used : { ...used, agent_id: agentId };
}

/** Without segments, the first choices did it all; of a speech-to-speech agent, the cascade is its fallback. */
function segmentsOfTotals({ stt, llm, tts, realtime }: CallUsage): UsageSegment[] {
  const fallback = realtime !== undefined;
  return [
    ...(realtime ? [{ kind: 'realtime' as const, fallback: false, ...realtime }] : []),
    ...(stt.audio_ms > 0 ? [{ kind: 'stt' as const, fallback, ...stt }] : []),
    ...(llm.input_tokens + llm.output_tokens > 0 ? [{ kind: 'llm' as const, fallback, ...llm }] : []),
    ...(tts.characters > 0 ? [{ kind: 'tts' as const, fallback, ...tts }] : []),
  ];
}

function added(a: RealtimeUsage, b: RealtimeUsage): RealtimeUsage {
  return {
    ...a,
    audio_ms: a.audio_ms + b.audio_ms,
    input_audio_tokens: a.input_audio_tokens + b.input_audio_tokens,
    input_text_tokens: a.input_text_tokens + b.input_text_tokens,
    cached_audio_tokens: a.cached_audio_tokens + b.cached_audio_tokens,
    cached_text_tokens: a.cached_text_tokens + b.cached_text_tokens,
    output_audio_tokens: a.output_audio_tokens + b.output_audio_tokens,
    output_text_tokens: a.output_text_tokens + b.output_text_tokens,
  };
}
