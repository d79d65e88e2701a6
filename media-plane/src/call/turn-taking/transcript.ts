import type { HistoryEntry } from './effects.js';
import { releaseNotesBefore } from './notes.js';
import { type CallerTurn, type Draft, endLateness, type Turn, type UntranscribedTurn } from './state.js';
import { takeIndex } from './transcript-index.js';
import { hasInput, type Utterance, utteranceText } from './utterance.js';

/** What is remembered, and when: history is what was heard (rule 4). */

/** Turns whose words may still come: a transcription is never this far behind. */
const MAX_UNTRANSCRIBED = 8;

/**
 * Moves `heard`, the part of the agent's turn that reached the caller, to the transcript. Nothing heard leaves no
 * trace.
 */
export function rememberAgent(draft: Draft, turn: Turn, heard: string): void {
  const heardText = heard.trim();
  if (heardText === '') return;
  const text = turn.text === '' ? heardText : turn.text;
  releaseNotesBefore(draft, turn.audibleAt);
  const index = takeIndex(draft);
  draft.state.lastSpokenIndex = index;
  draft.effects.push({
    type: 'remember',
    entry: {
      index,
      role: 'agent',
      text,
      heard_text: heardText,
      interrupted: heardText !== text || !turn.complete,
      started_at_ms: turn.audibleAt,
      ended_at_ms: Math.max(turn.audibleAt, draft.at),
      confidence: null,
    },
  });
  appendHistory(draft, { role: 'assistant', text: heardText, toolCalls: [] });
}

/**
 * Moves the caller's turn to transcript and history. Pressed keys enter the history as a note, because they were not
 * said.
 */
export function rememberCaller(draft: Draft, utterance: Utterance): void {
  if (!hasInput(utterance)) return;
  const { state } = draft;
  const index = takeCallerIndex(draft, utterance);
  const ended = spokenEnd(draft, utterance);
  if (!utterance.spoken || utterance.digits !== '') emitCaller(draft, utterance, index, ended.spokenUntilMs);
  const text = utteranceText(utterance);
  if (utterance.spoken) {
    expectWords(draft, utterance, index, ended);
  } else if (text === '') {
    state.lastTurn = null;
  } else {
    state.lastTurn = { utterance, index, historyAt: state.history.length, ...ended };
    appendHistory(draft, { role: 'user', text });
  }
  if (utterance.digits !== '') {
    state.lastTurn = null;
    appendHistory(draft, { role: 'note', text: `The caller pressed these keys: ${utterance.digits}` });
  }
}

/** Reserves the turn's place in the history, with its words where they are known. */
function expectWords(
  { state, ...draft }: Draft,
  utterance: Utterance,
  index: number,
  ended: SpokenEnd,
): void {
  const { spokenUntilMs } = ended;
  const historyAt = state.history.length;
  const known = state.untranscribed.find((turn) => turn.index === index);
  const parts = known?.parts ?? [];
  const turn = { index, historyAt, utterance, spokenUntilMs, parts, open: true };
  state.untranscribed = [...state.untranscribed.filter((other) => other !== known), turn].slice(
    -MAX_UNTRANSCRIBED,
  );
  state.lastTurn = { utterance, index, historyAt, ...ended };
  appendHistory({ state, ...draft }, { role: 'user', text: wholeText(parts) });
}

/** Notes that the agent's turn `answer` answers what the caller said last. */
export function expectWordsBefore({ state }: Draft, answer: number): void {
  if (!state.untranscribed.some(({ open }) => open)) return;
  state.untranscribed = state.untranscribed.map((turn) =>
    turn.open ? { ...turn, open: false, parts: [...turn.parts, { answer, text: '' }] } : turn,
  );
}

/** Fills in the words of a turn that has its place already. */
export function rememberWords(draft: Draft, turn: UntranscribedTurn, text: string): void {
  const { state } = draft;
  if (turn.historyAt === null) return;
  emitCaller(draft, { ...turn.utterance, finals: text }, turn.index, turn.spokenUntilMs);
  state.history = state.history.with(turn.historyAt, { role: 'user', text });
}

/** Joins what is known of a turn whose words come afterwards. */
export function wholeText(parts: UntranscribedTurn['parts']): string {
  return parts
    .map(({ text }) => text)
    .filter(Boolean)
    .join(' ');
}

/** Adds a backchannel to the transcript alone: it is no turn and is not answered. */
export function rememberBackchannel(draft: Draft, utterance: Utterance): void {
  const index = takeCallerIndex(draft, utterance);
  emitCaller(draft, utterance, index, spokenEnd(draft, utterance).spokenUntilMs);
}

/** Applies the recogniser's last text to a turn that was ended before it came. */
export function correctCaller(draft: Draft, utterance: Utterance): void {
  const { state } = draft;
  const last = state.lastTurn;
  if (!last) return;
  state.lastTurn = { ...last, utterance };
  const text = utteranceText(utterance);
  if (text === utteranceText(last.utterance)) return;
  emitCaller(draft, utterance, last.index, last.spokenUntilMs);
  state.history = state.history.with(last.historyAt, { role: 'user', text });
}

/**
 * Reopens the last turn, because more text came before its answer was heard (rule 5). Undefined when that is no longer
 * possible, because something followed it.
 */
export function retractCallerTurn(draft: Draft): Utterance | undefined {
  const { state } = draft;
  const last = state.lastTurn;
  if (!last || last.index !== state.lastSpokenIndex) return undefined;
  if (state.history.slice(last.historyAt + 1).some((entry) => entry.role !== 'note')) return undefined;
  state.history = state.history.toSpliced(last.historyAt, 1);
  state.untranscribed = state.untranscribed.map((turn) =>
    turn.index === last.index ? { ...turn, historyAt: null } : turn,
  );
  state.lastTurn = null;
  return { ...last.utterance, index: last.index, endedAt: null };
}

/** Adds an operator's note: the next `generate` knows it, the caller does not hear it. */
export function rememberWhisper(draft: Draft, text: string): void {
  appendHistory(draft, { role: 'note', text });
  draft.state.notes = [...draft.state.notes, { text, at: draft.at }];
}

export function appendHistory({ state }: Draft, ...entries: HistoryEntry[]): void {
  state.history = [...state.history, ...entries];
}

/** Returns what the agent last said and the caller heard; empty when nothing. */
export function lastAgentText(history: readonly HistoryEntry[]): string {
  const last = history.findLast((entry) => entry.role === 'assistant' && entry.text !== '');
  return last?.role === 'assistant' ? last.text : '';
}

/** Returns when the end of the caller's speech of this utterance reached us, ms since the media stream began. */
function endOfSpeech({ state, at }: Draft, utterance: Utterance): number {
  const stopped = state.lastStoppedAt;
  if (state.caller.phase === 'speaking') return at;
  if (stopped !== null && stopped >= utterance.startedAt && utterance.digits === '') return stopped;
  return Math.max(utterance.textAt, utterance.digitAt, utterance.startedAt);
}

type SpokenEnd = Pick<CallerTurn, 'endedAtMs' | 'spokenUntilMs'>;

/** Returns when the caller's speech of this utterance ended: when that reached us, and when it was spoken. */
export function spokenEnd(draft: Draft, utterance: Utterance): SpokenEnd {
  const endedAtMs = endOfSpeech(draft, utterance);
  return { endedAtMs, spokenUntilMs: endedAtMs - endLateness(draft.state, endedAtMs) };
}

/** The transcript has the times of the recording: when it was spoken, whenever it reached us. */
function emitCaller(draft: Draft, utterance: Utterance, index: number, spokenUntilMs: number): void {
  const startedAtMs = Math.max(0, utterance.startedAt - utterance.lateMs);
  const keys = utterance.digits === '' ? '' : `[keys ${utterance.digits}]`;
  const spoken = utteranceText(utterance);
  const text = spoken === '' || keys === '' ? spoken + keys : `${spoken} ${keys}`;
  draft.effects.push({
    type: 'remember',
    entry: {
      index,
      role: 'caller',
      text,
      heard_text: text,
      interrupted: false,
      started_at_ms: startedAtMs,
      ended_at_ms: Math.max(startedAtMs, spokenUntilMs),
      confidence: spoken === '' ? null : utterance.confidence,
    },
  });
}

/** Returns the index that the utterance has already, or the next one. */
function takeCallerIndex(draft: Draft, utterance: Utterance): number {
  if (utterance.index === null) releaseNotesBefore(draft, utterance.startedAt);
  const index = utterance.index ?? takeIndex(draft);
  draft.state.lastSpokenIndex = index;
  return index;
}
