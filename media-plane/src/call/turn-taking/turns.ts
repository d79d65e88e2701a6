import { joinPieces } from '../../conversation/spoken-text/scripts.js';
import type { AbortReason } from './effects.js';
import { observed } from './estimate.js';
import type { AgentEvent } from './events.js';
import { afterDroppedGuess } from './guess-credit.js';
import {
  type Draft,
  findTurn,
  type PendingAnswer,
  speculativeTurn,
  type Turn,
  type TurnPurpose,
} from './state.js';
import { expectWordsBefore } from './transcript.js';

/** The life of an agent's turn until it is over. A turn is numbered once; old numbers are ignored. */

const NEW_TURN = {
  uninterruptible: false,
  text: '',
  basis: '',
  speculative: false,
  attempt: 1,
  owedSince: null,
  phase: 'preparing',
  audioReady: false,
  complete: false,
  mute: false,
  playedMs: 0,
  audibleAt: 0,
  askedAt: 0,
  failure: null,
} as const;

export interface SayOptions {
  readonly uninterruptible?: boolean;
  /** Before all other turns that are not audible yet, but for the disclosure: nothing is said before it. */
  readonly first?: boolean;
  readonly attempt?: number;
}

/** Prepares a fixed text as a turn. */
export function say(draft: Draft, purpose: TurnPurpose, text: string, options: SayOptions = {}): void {
  const { state, effects } = draft;
  const id = takeNumber(draft);
  const uninterruptible = options.uninterruptible ?? false;
  const turn: Turn = {
    ...NEW_TURN,
    id,
    purpose,
    text: text.trim(),
    uninterruptible,
    attempt: options.attempt ?? 1,
    complete: true,
  };
  if (options.first) {
    const goesBefore = (other: Turn) => other.phase !== 'preparing' || other.purpose === 'disclosure';
    const behind = state.turns.filter((other) => !goesBefore(other));
    state.turns = [...state.turns.filter(goesBefore), turn, ...behind];
  } else {
    state.turns = [...state.turns, turn];
  }
  effects.push({ type: 'say', turn: id, text: turn.text, uninterruptible });
}

/** Starts the model on the history as it stands. */
export function generate(draft: Draft, pendingAnswer: PendingAnswer): void {
  const { state, effects } = draft;
  const id = takeNumber(draft);
  const turn: Turn = {
    ...NEW_TURN,
    id,
    purpose: 'answer',
    basis: pendingAnswer.basis,
    attempt: pendingAnswer.attempt,
    askedAt: draft.at,
    owedSince: pendingAnswer.owedSince ?? draft.at,
  };
  state.turns = [...state.turns, turn];
  expectWordsBefore(draft, id);
  effects.push({ type: 'generate', turn: id, basis: pendingAnswer.basis, speculative: false });
  if (pendingAnswer.endOfTurn) {
    const metric = { name: 'end_of_turn', turn: id, ...pendingAnswer.endOfTurn, preempted: false } as const;
    effects.push({ type: 'report', metric });
  }
}

export function generateSpeculative(draft: Draft, basis: string): void {
  const { state, effects } = draft;
  const id = takeNumber(draft);
  const turn: Turn = { ...NEW_TURN, id, purpose: 'answer', basis, speculative: true, askedAt: draft.at };
  state.turns = [...state.turns, turn];
  const { preemptive_generation: mode } = state.options.settings;
  effects.push({ type: 'generate', turn: id, basis, speculative: mode !== 'off' && mode });
}

export function play(draft: Draft, turn: Turn): void {
  draft.effects.push({ type: 'play', turn: turn.id });
  updateTurn(draft, turn.id, { phase: 'playing', audibleAt: draft.at });
}

/** Discards the turn's audio; its `cleared` will say how much of it was heard. */
export function clear(draft: Draft, turn: Turn): void {
  draft.effects.push({ type: 'clear', turn: turn.id });
  updateTurn(draft, turn.id, { phase: 'clearing' });
}

/** Drops a turn that nobody has heard. */
export function abortUnheard(draft: Draft, turn: Turn, reason: AbortReason): void {
  draft.effects.push({ type: 'abort', turn: turn.id, reason });
  if (turn.speculative) {
    draft.effects.push({ type: 'report', metric: { name: 'speculation_dropped', turn: turn.id } });
    const { guessing } = draft.state;
    draft.state.guessing = { ...guessing, credit: afterDroppedGuess(guessing.credit) };
  }
  dropHeldTools(draft, turn);
  removeTurn(draft, turn.id);
}

/** Drops the speculative turn, if there is one. */
export function dropSpeculation(
  draft: Draft,
  reason: 'text_changed' | 'caller_continued' | 'superseded' | 'closing',
): void {
  const speculation = speculativeTurn(draft.state);
  if (speculation) abortUnheard(draft, speculation, reason);
}

/** Drops the tool calls that an unheard turn held back, and all of a speculative one: they leave no trace. */
function dropHeldTools({ state }: Draft, turn: Turn): void {
  state.tools = state.tools.filter(
    (run) => run.turn !== turn.id || (!turn.speculative && run.status !== 'held'),
  );
}

/** Appends a sentence that the model handed to the voice. A fixed text is known already. */
export function onText(draft: Draft, event: Extract<AgentEvent, { type: 'text' }>): void {
  const turn = findTurn(draft.state, event.turn);
  if (!turn || turn.complete) return;
  const sentence = event.sentence.trim();
  if (turn.text === '' && draft.state.options.settings.preemptive_generation === 'llm')
    measureAnswer(draft, turn);
  updateTurn(draft, turn.id, { text: joinPieces(turn.text, sentence) });
}

export function onGenerationFinished(draft: Draft, id: number): void {
  const turn = findTurn(draft.state, id);
  if (!turn || turn.complete) return;
  updateTurn(draft, id, { complete: true, mute: turn.text === '' && !turn.audioReady });
}

export function onAudioReady(draft: Draft, id: number): void {
  const turn = findTurn(draft.state, id);
  if (turn?.phase !== 'preparing') return;
  if (draft.state.options.settings.preemptive_generation === 'llm_and_voice') measureAnswer(draft, turn);
  updateTurn(draft, id, { audioReady: true, mute: false });
}

/** Measures how long the part of an answer took that may be made before the turn's end: a guess is begun as long before. */
function measureAnswer({ state, at }: Draft, { purpose, askedAt }: Turn): void {
  if (purpose !== 'answer') return;
  state.guessing = { ...state.guessing, answerMs: observed(state.guessing.answerMs, at - askedAt) };
}

export function onPlayback(draft: Draft, event: Extract<AgentEvent, { type: 'playback' }>): void {
  const turn = findTurn(draft.state, event.turn);
  if (!turn || turn.phase === 'preparing') return;
  updateTurn(draft, turn.id, { playedMs: Math.max(turn.playedMs, event.playedMs) });
}

export function updateTurn({ state }: Draft, id: number, change: Partial<Turn>): void {
  state.turns = state.turns.map((turn) => (turn.id === id ? { ...turn, ...change } : turn));
}

export function removeTurn({ state }: Draft, id: number): void {
  state.turns = state.turns.filter((turn) => turn.id !== id);
}

function takeNumber({ state }: Draft): number {
  const number = state.nextTurn;
  state.nextTurn = number + 1;
  return number;
}
