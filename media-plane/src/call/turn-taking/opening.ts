import type { Draft } from './state.js';
import { say } from './turns.js';

/**
 * Lets the agent speak first: the disclosure, which nobody can cut, then the first message, prepared at the same time.
 * Without either, it waits for the caller.
 */
export function onCallStarted(draft: Draft): void {
  const { state } = draft;
  if (state.startedAt !== null) return;
  state.startedAt = draft.at;
  const { disclosure, firstMessage } = state.options;
  if (disclosure !== null && disclosure.trim() !== '') {
    say(draft, 'disclosure', disclosure, { uninterruptible: true });
  }
  if (firstMessage.trim() !== '') say(draft, 'first_message', firstMessage);
}
