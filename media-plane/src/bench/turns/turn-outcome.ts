import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import { ScriptedCall } from '../../call/turn-taking/testing/scripted-call.js';
import type { LineEvent } from './line-events.js';

/** From the end of a turn to the agent's first sound, in ms: a model's first token, and a voice's first audio. */
const FIRST_TOKEN_MS = 300;
const FIRST_AUDIO_MS = 150;

/** How the caller's turn ended. */
export interface TurnOutcome {
  /** It was ended in a pause; the answer may have been taken back before it was heard. */
  readonly endedEarly: boolean;
  /** The agent began to speak before the caller was done. */
  readonly talkedInto: boolean;
  /** From the caller's last sound to the end of the turn, in ms; undefined where the agent had talked into it. */
  readonly delayMs: number | undefined;
}

/** Lets the real turn-taking decide over a line's events. */
export function turnOutcome(
  events: readonly LineEvent[],
  endsMs: number,
  semantic: TurnTakingSettings['semantic_end_of_turn'],
): TurnOutcome {
  const call = new ScriptedCall({
    settings: { semantic_end_of_turn: semantic, preemptive_generation: 'off' },
    options: { silenceTimeoutMs: 60_000 },
    model: () => ({ sentences: ['Certainly.'], firstTokenMs: FIRST_TOKEN_MS, sentenceMs: 1 }),
    voiceMs: () => FIRST_AUDIO_MS,
  }).start();
  for (const { at, event } of events) {
    call.run(Math.max(0, at - call.now));
    call.send(event);
  }
  call.run(8000);
  const times = (type: 'generate' | 'play') =>
    call.effects.flatMap(({ at, effect }) => (effect.type === type ? [at] : []));
  const talkedInto = times('play').some((at) => at < endsMs);
  const ended = times('generate');
  const last = ended.find((at) => at >= endsMs);
  if (last === undefined && !talkedInto) throw new Error('the turn never ended');
  return {
    endedEarly: ended.some((at) => at < endsMs),
    talkedInto,
    delayMs: talkedInto || last === undefined ? undefined : last - endsMs,
  };
}
