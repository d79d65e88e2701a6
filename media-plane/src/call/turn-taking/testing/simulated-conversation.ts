import fc from 'fast-check';
import type { RecogniserHabits } from '../recogniser-habits.js';
import type { ScriptedCallOptions } from './script.js';
import { ScriptedCall } from './scripted-call.js';

/**
 * Callers with pauses and a recogniser with the timing of a real one, to weigh what preemptive generation saves against
 * what it costs. All times are in ms.
 */

export interface SimulatedRecogniser {
  /** Between interim texts. */
  readonly interimEveryMs: number;
  /** From a word's end to its being recognised. */
  readonly lagMs: number;
  /** From the end of speech, as the detector reports it, to the final text that it is asked for. */
  readonly finalMs: { readonly min: number; readonly max: number };
}

/** Interims come once a second and often lack the last words; a final comes soon after it is asked for. */
export const FINALIZING: SimulatedRecogniser = {
  interimEveryMs: 1000,
  lagMs: 150,
  finalMs: { min: 40, max: 90 },
};

/** Interims come word by word; the final comes in its own time. */
export const SLOW_FINAL: SimulatedRecogniser = {
  interimEveryMs: 50,
  lagMs: 60,
  finalMs: { min: 700, max: 900 },
};

/** What a caller says in one turn: spoken pieces with pauses between them. */
interface SimulatedTurn {
  readonly pieces: readonly {
    readonly words: number;
    readonly pauseMs: number;
    readonly connective: boolean;
  }[];
  readonly wordMs: number;
  /** The interims mishear the last word. */
  readonly misheard: boolean;
  /** Where the final is within the recogniser's range, 0..1. */
  readonly chance: number;
}

interface SimulatedSpeaker {
  /** How many of a hundred turns hold a pause; one in five of those holds a second one. */
  readonly pausesPerHundred: number;
}

const VOCABULARY = 'please bring seven small round tables over here today folding chairs candles'.split(' ');
/** Said before some pauses: more will surely come. */
const CONNECTIVE = 'and';
/** The detector reports the end of speech after so much silence, and its beginning after so much speech. */
const DETECTOR_MS = { stop: 200, start: 60 };

function turnOf({ pausesPerHundred }: SimulatedSpeaker): fc.Arbitrary<SimulatedTurn> {
  const words = fc.integer({ min: 2, max: 9 });
  // Most pauses within a turn are short; one in four is as long as those between turns.
  const pause = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 150, max: 450 }) },
    { weight: 1, arbitrary: fc.integer({ min: 450, max: 1100 }) },
  );
  return fc
    .record({
      pauses: fc.integer({ min: 0, max: 99 }),
      pieces: fc.array(
        fc.record({ words, pauseMs: pause, connective: fc.integer({ min: 0, max: 3 }).map((n) => n === 0) }),
        { minLength: 3, maxLength: 3 },
      ),
      wordMs: fc.integer({ min: 220, max: 360 }),
      misheard: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
      chance: fc.integer({ min: 0, max: 100 }).map((n) => n / 100),
    })
    .map(({ pauses, pieces, ...turn }) => {
      const count = pauses * 5 < pausesPerHundred ? 3 : pauses < pausesPerHundred ? 2 : 1;
      return { ...turn, pieces: pieces.slice(0, count) };
    });
}

export interface ConversationCost {
  /** Requests to the model for each turn of the caller. */
  readonly requestsPerTurn: number;
  /** Speculative answers for each turn, and those of them that were dropped. */
  readonly guessesPerTurn: number;
  readonly droppedPerTurn: number;
  /** From the end of the caller's speech to the answer, on average. */
  readonly responseMs: number;
}

export interface SimulationOptions {
  readonly recogniser: SimulatedRecogniser;
  readonly speaker: SimulatedSpeaker;
  readonly script: ScriptedCallOptions;
  readonly calls: number;
  readonly turns: number;
  readonly seed: number;
}

/** Plays so many calls of so many turns each, the same ones for the same seed. */
export function simulate(options: SimulationOptions): ConversationCost {
  const { speaker, calls, turns, seed } = options;
  const said = fc.sample(fc.noBias(fc.array(turnOf(speaker), { minLength: turns, maxLength: turns })), {
    numRuns: calls,
    seed,
  });
  // As in a worker, a call begins with what the calls before it measured.
  let recogniser: RecogniserHabits | undefined;
  const played = said.map((turnsOfCall) => {
    const one = playCall(turnsOfCall, options, recogniser);
    recogniser = one.recogniser;
    return one;
  });
  const count = calls * turns;
  const sum = (of: (one: (typeof played)[number]) => number) => played.reduce((all, one) => all + of(one), 0);
  return {
    requestsPerTurn: sum(({ requests }) => requests) / count,
    guessesPerTurn: sum(({ guesses }) => guesses) / count,
    droppedPerTurn: sum(({ dropped }) => dropped) / count,
    responseMs: sum(({ responseMs }) => responseMs) / count,
  };
}

function playCall(
  turns: readonly SimulatedTurn[],
  { recogniser, script }: SimulationOptions,
  measured: RecogniserHabits | undefined,
) {
  const options = {
    maxDurationMs: 24 * 3_600_000,
    ...(measured ? { recogniser: measured } : {}),
    ...script.options,
  };
  const call = new ScriptedCall({ ...script, options }).start().run(1000);
  let responseMs = 0;
  for (const turn of turns) {
    const endedAt = speak(call, turn, recogniser);
    const from = call.effects.length;
    call.until('play', () => call.now >= endedAt);
    const play = call.effects.slice(from).find(({ at, effect }) => effect.type === 'play' && at >= endedAt);
    responseMs += (play?.at ?? call.now) - endedAt;
    call.untilQuiet();
  }
  const generated = call.all('generate');
  return {
    requests: generated.length,
    guesses: generated.filter(({ speculative }) => speculative).length,
    dropped: call.all('report').filter(({ metric }) => metric.name === 'speculation_dropped').length,
    responseMs,
    recogniser: call.state.guessing.recogniser,
  };
}

/** Lets the caller say the turn from now on; returns when the speech will end. */
function speak(call: ScriptedCall, turn: SimulatedTurn, recogniser: SimulatedRecogniser): number {
  const { wordMs } = turn;
  const finalMs = recogniser.finalMs.min + turn.chance * (recogniser.finalMs.max - recogniser.finalMs.min);
  let begins = 0;
  let word = 0;
  let finalUpTo = 0;
  const ends: number[] = [];
  const said = wordsOfTurn(turn);
  const textOf = (from: number, to: number) => said.slice(from, to).join(' ');
  const starts = call.now;
  for (const [index, piece] of turn.pieces.entries()) {
    const isLast = index === turn.pieces.length - 1;
    const stops = begins + piece.words * wordMs;
    for (let n = 1; n <= piece.words; n++) ends.push(begins + n * wordMs);
    call.send({ type: 'speech_started', startedAt: starts + begins }, begins + DETECTOR_MS.start);
    word += piece.words;
    const resumes = isLast ? Number.POSITIVE_INFINITY : stops + piece.pauseMs;
    const finalAt = Math.round(stops + DETECTOR_MS.stop + finalMs);
    const reported = resumes > stops + DETECTOR_MS.stop;
    const interimsUntil = reported ? finalAt : resumes;
    for (let at = begins + recogniser.interimEveryMs; at < interimsUntil; at += recogniser.interimEveryMs) {
      const known = ends.filter((end) => end + recogniser.lagMs <= at).length;
      const text = textOf(finalUpTo, known) + (turn.misheard && known === word ? 's' : '');
      if (text !== '') call.send({ type: 'transcript', text, final: false, confidence: 0.9 }, at);
    }
    if (reported) {
      call.send({ type: 'speech_stopped', stoppedAt: starts + stops }, stops + DETECTOR_MS.stop);
      const text = `${textOf(finalUpTo, word)}${isLast ? '.' : ''}`;
      call.send({ type: 'transcript', text, final: true, confidence: 0.95 }, finalAt);
      finalUpTo = word;
    }
    begins = resumes;
  }
  return starts + (ends.at(-1) ?? 0);
}

function wordsOfTurn({ pieces }: SimulatedTurn): string[] {
  const said: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    for (let n = 0; n < piece.words; n++) said.push(VOCABULARY[said.length % VOCABULARY.length] as string);
    if (piece.connective && index < pieces.length - 1) said[said.length - 1] = CONNECTIVE;
  }
  return said;
}
