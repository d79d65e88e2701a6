import { hasWords, join } from '../words.js';
import type { AnswerEvidence, SpeechRun } from './answer.js';
import { type Circumstances, isAsShortAsHello, speaksPersonally } from './judgement.js';
import { findPhrases } from './phrases.js';

/** Silence, in ms, that is longer than the pauses in a greeting: somebody listens. */
const LISTENS_MS = 2000;

/**
 * Returns whether speech that begins now, when greetings are over, is said in a conversation: after a person's words, or
 * after a silence that followed a short hello or in which a turn of the agent was heard to its end. Pure.
 */
export function isMidConversation(
  answer: AnswerEvidence,
  now: number,
  circumstances: Circumstances,
): boolean {
  const { run } = answer;
  if (run?.endedAt == null || !hasSpoken(answer, circumstances.hearsWords)) return false;
  const silent = now - run.endedAt >= LISTENS_MS;
  if (silent && answer.listened) return true;
  const found = findPhrases(join(answer.text, textOf(run)), circumstances.language);
  if (found.machine !== null) return false;
  if (speaksPersonally(textOf(run), circumstances)) return true;
  const isShort = isAsShortAsHello(answer.speechMs + run.endedAt - run.startedAt);
  return isShort && found.hints === 0 && silent;
}

/** Returns whether the other end has said something; a click is nothing where words are known. */
function hasSpoken({ text, run }: AnswerEvidence, hearsWords: boolean): boolean {
  return run !== null && (!hearsWords || hasWords(join(text, textOf(run))));
}

function textOf({ text, interim }: SpeechRun): string {
  return join(text, interim);
}
