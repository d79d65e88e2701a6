import { findProvider, modelOf, type ProviderKind } from '@voice/shared/catalogue/providers';
import type { ProviderChoice, TurnTakingSettings } from '@voice/shared/contracts/agent';
import { percentile } from '../../calls/record/call-record.js';
import type { TurnStages } from '../../calls/turn-stages.js';

/** A turn of a call that was held, and the turn-taking that the agent had then. */
export interface HeldTurn extends TurnStages {
  readonly settings: TurnTakingSettings;
}

export const LATENCY_SOURCES = ['settings', 'own_calls', 'platform', 'vendor', 'unknown'] as const;

/** How long a stage usually takes, and who says so. */
export interface Figure {
  /** Null: nobody has said. */
  readonly ms: number | null;
  readonly source: (typeof LATENCY_SOURCES)[number];
  /** Where it comes from, for people. */
  readonly basis: string;
}

/** Fewer turns say nothing of what is usual. */
export const ENOUGH_TURNS = 5;
/** The pipeline's own part in an answer at 300 calls on one worker, p50, in ms. */
const RUNTIME: Figure = {
  ms: 28,
  source: 'platform',
  basis: 'The median with 300 calls on one worker (docs/performance.md#latency-that-the-runtime-adds).',
};

export const unknownFigure = (basis: string): Figure => ({ ms: null, source: 'unknown', basis });

/** Returns the median of what the agent's own turns took; null where they are too few to say. */
export function ownMedian(values: readonly number[], what: string): Figure | null {
  const ms = values.length < ENOUGH_TURNS ? null : percentile(values, 0.5);
  return ms === null
    ? null
    : { ms, source: 'own_calls', basis: `The median of ${values.length} turns${what}.` };
}

/** Returns how long after the end of speech the recogniser's final text comes. */
export function finalTextFigure(stt: ProviderChoice, held: readonly HeldTurn[]): Figure {
  const own = held.flatMap(({ finalTextMs }) => finalTextMs ?? []);
  return ownMedian(own, ' of this agent') ?? publishedFigure('stt', stt);
}

/** Returns how long the model takes to the first words. */
export function modelFigure(llm: ProviderChoice, held: readonly HeldTurn[]): Figure {
  const known = held.flatMap(({ preempted, endOfTurnMs: end, firstTokenMs: first }) =>
    preempted || end === null || first === null ? [] : [Math.max(0, first - end)],
  );
  // When an answer was begun early is not known, but not before the caller had stopped: this much it took at most.
  const atMost = held.flatMap(({ preempted, firstTokenMs: first }) =>
    preempted && first !== null ? [first] : [],
  );
  return (
    ownMedian(known, ' of this agent') ??
    ownMedian(atMost, ' of this agent, from the end of speech: at most that') ??
    publishedFigure('llm', llm)
  );
}

/** Returns how long the voice takes from its first words to its first audio. */
export function voiceFigure(tts: ProviderChoice, held: readonly HeldTurn[]): Figure {
  const known: number[] = [];
  const atMost: number[] = [];
  for (const { preempted, endOfTurnMs: end, firstTokenMs: first, firstAudioMs: audio } of held) {
    if (audio === null || first === null) continue;
    if (preempted) atMost.push(Math.max(0, audio - first));
    else known.push(Math.max(0, audio - Math.max(end ?? 0, first)));
  }
  return (
    ownMedian(known, ' of this agent') ??
    ownMedian(atMost, ' of this agent, from the first word on: at most that') ??
    publishedFigure('tts', tts)
  );
}

/** Returns how long a speech-to-speech model takes from the end of the turn to its first audio. */
export function speechFigure(realtime: ProviderChoice, held: readonly HeldTurn[]): Figure {
  const own = held.flatMap(({ endOfTurnMs: end, firstAudioMs, responseMs }) => {
    const audio = firstAudioMs ?? responseMs;
    return end === null || audio === null ? [] : [Math.max(0, audio - end)];
  });
  return ownMedian(own, ' of this agent') ?? publishedFigure('realtime', realtime);
}

/** Returns what the pipeline adds from the first audio to the first frame that is sent. */
export function runtimeFigure(held: readonly HeldTurn[]): Figure {
  const own = held.flatMap(({ endOfTurnMs: end, firstAudioMs: audio, responseMs: response }) =>
    audio === null || response === null ? [] : [Math.max(0, response - Math.max(audio, end ?? 0))],
  );
  return ownMedian(own, ' of this agent') ?? RUNTIME;
}

/** Returns what the catalogue says of the model; of a server of the agent's own it says nothing. */
function publishedFigure(kind: ProviderKind, { provider, model, params }: ProviderChoice): Figure {
  const entry = findProvider(kind, provider);
  const published = entry && modelOf(entry, model)?.latency;
  const name = [provider, model === '' ? entry?.defaultModel : model].filter(Boolean).join(' ');
  if (published === undefined || params.base_url !== undefined) {
    return unknownFigure(`No calls to measure, and no published figure of ${name}.`);
  }
  const { ms, by, source, asOf } = published;
  const what =
    by === 'vendor' ? "The vendor's figure, without the network" : 'Measured on an idle machine, p95';
  return { ms, source: by, basis: `${what}: ${source} (${asOf}).` };
}
