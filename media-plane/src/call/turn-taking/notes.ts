import { audibleTurn, type Draft, type OperatorNote, type State } from './state.js';
import { takeIndex } from './transcript-index.js';
import { hasInput } from './utterance.js';

/**
 * Operators' notes in the transcript. A turn enters it when it is over, so that a note in the middle of one
 * waits for it: it stands where it was given, and the transcript has no gaps.
 */

/** Notes that nothing which was begun before them holds back any more. */
export function releaseNotes(draft: Draft): void {
  while (draft.state.notes.length > 0 && !isAmidst(draft.state, draft.state.notes[0]!)) releaseFirst(draft);
}

/** Notes that were given before what is about to be remembered began. */
export function releaseNotesBefore(draft: Draft, startedAt: number): void {
  while (draft.state.notes.length > 0 && draft.state.notes[0]!.at < startedAt) releaseFirst(draft);
}

function isAmidst(state: State, { at }: OperatorNote): boolean {
  const { caller, utterance } = state;
  const audible = audibleTurn(state);
  if (audible && audible.audibleAt <= at) return true;
  if (caller.phase === 'speaking' && !caller.noise && caller.since <= at) return true;
  return hasInput(utterance) && utterance.index === null && utterance.startedAt <= at;
}

function releaseFirst(draft: Draft): void {
  const [note, ...rest] = draft.state.notes;
  if (!note) return;
  draft.state.notes = rest;
  draft.effects.push({
    type: 'remember',
    entry: {
      index: takeIndex(draft),
      role: 'operator',
      text: note.text,
      heard_text: '',
      interrupted: false,
      started_at_ms: note.at,
      ended_at_ms: note.at,
      confidence: null,
    },
  });
}
