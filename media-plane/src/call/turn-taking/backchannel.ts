import { languageRules } from './language.js';
import type { State, Turn } from './state.js';
import { words } from './words.js';

/** A backchannel such as "mhm" has at most this many words. */
const MAX_BACKCHANNEL_WORDS = 4;

/**
 * Returns whether the text, said while `turn` is audible, is only a sign of listening. Agreement ("yes", "okay") is an
 * answer when the turn asks something.
 */
export function isBackchannel(state: State, turn: Turn, text: string): boolean {
  const spoken = words(text);
  if (spoken.length === 0 || spoken.length > MAX_BACKCHANNEL_WORDS) return false;
  const rules = languageRules(state.options.language);
  const asks = turn.text.includes('?');
  return spoken.every((word) => rules.backchannels.has(word) || (!asks && rules.agreement.has(word)));
}

/** Returns whether the text only says hello, so that the agent's first message is the answer to it. */
export function isGreeting(state: State, text: string): boolean {
  const rules = languageRules(state.options.language);
  return words(text).every((word) => rules.greetings.has(word) || rules.backchannels.has(word));
}
