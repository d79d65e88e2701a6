import { isBackchannel } from './backchannel.js';
import { interrupt } from './barge-in.js';
import { combinedDelay } from './combined-delay.js';
import { languageRules } from './language.js';
import { audibleTurn, type Draft, isProtected, type State } from './state.js';
import { lastAgentText, rememberBackchannel } from './transcript.js';
import { EMPTY_UTTERANCE, hasInput, hasText, type Utterance, utteranceText } from './utterance.js';
import { LONGEST_SPEECH_MS } from './wordless-speech.js';
import { words } from './words.js';

/** How a recogniser writes that a sentence goes on. */
const UNFINISHED = /(,|…|\.\.\.|[-–—])\s*$/;
/** How much longer the minimum is, in ms: after a connective, a hesitation or a comma, … */
const CONNECTIVE_MS = 800;
/** … while a number is dictated, … */
const DICTATION_MS = 1200;
/** … and after a short beginning of an answer to an open question. */
const OPEN_QUESTION_MS = 300;
const SHORT_ANSWER_WORDS = 2;
/** Pause after the last key that ends an input of keys, in ms; `#` ends it at once. */
const KEYS_PAUSE_MS = 1500;
/** Digits of a complete number: nobody waits for more after a national or international phone number or a card. */
const COMPLETE_NUMBERS: ReadonlySet<number> = new Set([10, 11, 16]);

/**
 * Returns the silence after which the caller's turn is over, given its final text, in ms (rule 1): the minimum, or more
 * where the words or their sound say that more will come, never more than the maximum.
 */
export function endpointingDelay(
  { options: { settings, language }, history }: State,
  text: string,
  confidentEnd: boolean,
  completion: number | null = null,
): number {
  const wordsMs = lengthening(text, lastAgentText(history), language);
  return combinedDelay(settings, { wordsMs, confidentEnd, completion });
}

/** Returns the delay that the utterance asks for as it stands, in ms. */
export function endingDelayOf(state: State, utterance: Utterance): number {
  return endpointingDelay(state, utteranceText(utterance), utterance.confidentEnd, utterance.completion);
}

function lengthening(text: string, question: string, language: string): number {
  const rules = languageRules(language);
  const spoken = words(text);
  const last = spoken.at(-1);
  if (last === undefined) return 0;
  const asked = question.trimEnd().endsWith('?') ? words(lastSentence(question)) : [];
  if (
    isDictation(
      text,
      asked.some((word) => rules.dictated.has(word)),
      rules.numbers,
    )
  )
    return DICTATION_MS;
  if (rules.connectives.has(last) || rules.hesitations.has(last) || UNFINISHED.test(text))
    return CONNECTIVE_MS;
  const open = asked.some((word) => rules.openQuestions.has(word));
  return open && spoken.length <= SHORT_ANSWER_WORDS ? OPEN_QUESTION_MS : 0;
}

/** Returns whether the text ends in digits of which more are to be expected. */
function isDictation(text: string, numberAsked: boolean, numbers: ReadonlySet<string>): boolean {
  const tokens = text.trim().split(/\s+/);
  let digits = 0;
  let groups = 0;
  for (let position = tokens.length - 1; position >= 0; position -= 1) {
    const token = tokens[position] ?? '';
    const numeric = /^\+?[\d-]+[.,!?;]?$/.test(token);
    if (!numeric && !numbers.has(words(token)[0] ?? '')) break;
    digits += numeric ? token.replace(/\D/g, '').length : 1;
    groups += 1;
  }
  if (COMPLETE_NUMBERS.has(digits)) return false;
  return numberAsked ? groups >= 1 : groups >= 2 && digits >= 3;
}

function lastSentence(text: string): string {
  return text.split(/(?<=[.!?])\s+/).at(-1) ?? '';
}

/** Returns when the minimum delay has passed after a final text, or the pause after the last key. */
export function endpointingDeadline({ utterance, caller, options }: State): number | null {
  if (utterance.endedAt !== null) return null;
  const keys = utterance.digits === '' ? null : utterance.digitAt + KEYS_PAUSE_MS;
  if (!hasText(utterance)) return keys;
  if (utterance.spoken && options.settings.turn_detection === 'provider') return keys;
  if (caller.phase !== 'trailing' || utterance.interim !== '') return null;
  return Math.max(caller.since + utterance.minimumMs, keys ?? 0);
}

/** Returns when the turn is over with whatever text there is, or without text was noise. */
export function maxEndpointingDeadline({ utterance, caller, options }: State): number | null {
  if (utterance.endedAt !== null) return null;
  const maximum = options.settings.max_endpointing_ms;
  if (caller.phase === 'trailing') return caller.since + maximum;
  if (utterance.spoken) {
    return caller.phase === 'speaking' ? caller.since + LONGEST_SPEECH_MS : utterance.textAt + maximum;
  }
  // The detector hears something, but words no longer come: a noisy line.
  return hasText(utterance) ? utterance.textAt + maximum : null;
}

export function onMaxEndpointing(draft: Draft): void {
  if (hasInput(draft.state.utterance)) endTurn(draft);
  else draft.state.caller = { phase: 'silent' };
}

/** Ends the turn when its delay has already passed: a final text may come late. */
export function endTurnIfDue(draft: Draft): void {
  const deadline = endpointingDeadline(draft.state);
  if (deadline !== null && deadline <= draft.at) endTurn(draft);
}

/**
 * Ends the caller's turn. While the agent is audible this settles what the speech was: a backchannel, an interruption,
 * or words over a protected turn, which wait until that was heard.
 */
export function endTurn(draft: Draft): void {
  const { state } = draft;
  const { utterance } = state;
  if (!hasInput(utterance)) return;
  state.caller = { phase: 'silent' };
  const turn = audibleTurn(state);
  const audible = turn?.phase === 'clearing' ? undefined : turn;
  if (audible && utterance.digits === '' && isBackchannel(state, audible, utteranceText(utterance))) {
    rememberBackchannel(draft, utterance);
    state.utterance = EMPTY_UTTERANCE;
    return;
  }
  state.utterance = { ...utterance, endedAt: draft.at };
  if (audible && !isProtected(state, audible)) interrupt(draft, audible);
}
