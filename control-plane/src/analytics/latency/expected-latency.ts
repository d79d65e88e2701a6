import type { AgentSnapshot, TurnTakingSettings } from '@voice/shared/contracts/agent';
import { percentile } from '../../calls/record/call-record.js';
import { endOfTurn } from './end-of-turn.js';
import {
  ENOUGH_TURNS,
  type Figure,
  type HeldTurn,
  modelFigure,
  runtimeFigure,
  speechFigure,
  voiceFigure,
} from './stage-figures.js';

export const LATENCY_STAGES = [
  'end_of_turn',
  'recognition',
  'model',
  'voice',
  'speech_to_speech',
  'runtime',
] as const;
type Stage = (typeof LATENCY_STAGES)[number];

/** A stage of the answer: how long it takes, and what of that the caller waits for. */
interface LatencyPart extends Figure {
  readonly stage: Stage;
  readonly addsMs: number;
}

/** How soon an agent is expected to answer, in ms from the end of the caller's speech to its first sound. */
export interface ExpectedLatency {
  /** Where the caller's words sound finished. */
  readonly responseMs: number;
  /** Where they do not, and the longest pause is waited for. */
  readonly inDoubtMs: number;
  /** Whether it will be more: a part is not known, or a vendor's own figure without the network. */
  readonly isAtLeast: boolean;
  /** `measured`: the median of calls that were held with this configuration. `composed`: the sum of the parts. */
  readonly basis: 'measured' | 'composed';
  /** Turns of the agent's own calls that were looked at. */
  readonly turns: number;
  readonly parts: readonly LatencyPart[];
}

/** What of turn-taking decides when the agent answers. */
const TIMING = [
  'turn_detection',
  'semantic_end_of_turn',
  'min_endpointing_ms',
  'confident_endpointing_ms',
  'max_endpointing_ms',
  'end_of_turn_confidence',
  'preemptive_generation',
  'eager_stable_interim_ms',
  'vad_on',
  'vad_off',
  'vad_min_silence_ms',
] as const satisfies readonly (keyof TurnTakingSettings)[];

type Timed = Pick<AgentSnapshot, 'voice_config' | 'turn_taking'>;

/**
 * Returns how soon the agent answers: by its own calls with the same configuration, else composed of what each stage
 * takes, by its own calls with the same providers and models, by our measurements or by the catalogue. Never less than
 * what is known. Pure.
 *
 * @param held turns of the agent's calls with the same providers and models
 */
export function expectedLatency(agent: Timed, held: readonly HeldTurn[]): ExpectedLatency {
  const settings = agent.turn_taking;
  const parts = partsOf(agent, held);
  const longest = partsOf(agent, held, settings.max_endpointing_ms);
  const same = held
    .filter((turn) => TIMING.every((name) => turn.settings[name] === settings[name]))
    .flatMap(({ responseMs }) => responseMs ?? []);
  const isMeasured = same.length >= ENOUGH_TURNS;
  const composed = sumOf(parts);
  const responseMs = isMeasured ? (percentile(same, 0.5) ?? composed) : composed;
  return {
    responseMs: Math.round(responseMs),
    inDoubtMs: Math.round(
      Math.max(responseMs, sumOf(longest), isMeasured ? (percentile(same, 0.95) ?? 0) : 0),
    ),
    isAtLeast: !isMeasured && parts.some(({ source }) => source === 'unknown' || source === 'vendor'),
    basis: isMeasured ? 'measured' : 'composed',
    turns: held.length,
    parts,
  };
}

/** @param endMs when the turn is over, where that is not when its words sound finished */
function partsOf(
  { voice_config: voice, turn_taking: settings }: Timed,
  held: readonly HeldTurn[],
  endMs?: number,
): LatencyPart[] {
  const { pause, finalText } = endOfTurn(voice, settings, held);
  const pauseMs = endMs ?? pause.ms ?? 0;
  // Without a final text the turn goes on to the longest pause: where nobody knows when it comes, that is not counted.
  const end = Math.max(pauseMs, endMs === undefined ? (finalText?.ms ?? 0) : 0);
  const runtime = runtimeFigure(held);
  const before: LatencyPart[] = [
    { stage: 'end_of_turn', ...pause, addsMs: pauseMs },
    ...(finalText ? [{ stage: 'recognition', ...finalText, addsMs: end - pauseMs } as const] : []),
  ];
  const last: LatencyPart = { stage: 'runtime', ...runtime, addsMs: runtime.ms ?? 0 };
  if ('realtime' in voice) {
    const speech = speechFigure(voice.realtime, held);
    return [...before, { stage: 'speech_to_speech', ...speech, addsMs: speech.ms ?? 0 }, last];
  }
  const model = modelFigure(voice.llm, held);
  const spoken = voiceFigure(voice.tts, held);
  const adds = answerAfter({
    early: areEarlyAnswersKept(settings, held) ? settings.preemptive_generation : 'off',
    end,
    // An answer that is begun early is begun on the final text; where nobody knows when that comes, nothing is saved.
    begun: finalText?.ms ?? end,
    model: model.ms ?? 0,
    voice: spoken.ms ?? 0,
  });
  return [
    ...before,
    { stage: 'model', ...model, addsMs: adds.model },
    { stage: 'voice', ...spoken, addsMs: adds.voice },
    last,
  ];
}

/** Returns what model and voice add after the end of the turn, all in ms. */
function answerAfter(turn: {
  readonly early: TurnTakingSettings['preemptive_generation'];
  readonly end: number;
  readonly begun: number;
  readonly model: number;
  readonly voice: number;
}): { readonly model: number; readonly voice: number } {
  const { early, end, model, voice } = turn;
  if (early === 'off') return { model, voice };
  const words = Math.max(end, Math.min(turn.begun, end) + model);
  const sound = early === 'llm' ? words + voice : Math.max(end, Math.min(turn.begun, end) + model + voice);
  return { model: words - end, voice: sound - words };
}

/** Returns whether most answers that might have been begun early were, and fitted; so it was in our bench. */
function areEarlyAnswersKept(settings: TurnTakingSettings, held: readonly HeldTurn[]): boolean {
  if (settings.preemptive_generation === 'off') return false;
  const tried = held.filter((turn) => turn.settings.preemptive_generation !== 'off');
  if (tried.length < ENOUGH_TURNS) return true;
  return tried.filter(({ preempted }) => preempted).length * 2 >= tried.length;
}

function sumOf(parts: readonly LatencyPart[]): number {
  return parts.reduce((sum, { addsMs }) => sum + addsMs, 0);
}
