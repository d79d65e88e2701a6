import { close, closeNow, silenceAgent } from './closing.js';
import type { OutsideEvent } from './events.js';
import { type Draft, EMPTY_UTTERANCE, type State } from './state.js';
import { say } from './turns.js';

/** A greeting whose end is not reported counts as over after this, in ms. */
const GREETING_LIMIT_MS = 30_000;

/** Handles a machine that the carrier detected: hangs up, or waits for its greeting's end to leave the message. */
export function onMachineDetected(
  draft: Draft,
  event: Extract<OutsideEvent, { type: 'machine_detected' }>,
): void {
  const { state } = draft;
  const { voicemail } = state.options;
  if (!voicemail.detect || state.machine?.kind === 'message') return;
  if (state.closing && !state.closing.revocable) return;
  const leaves = voicemail.action === 'leave_message' && voicemail.message.trim() !== '';
  if (event.kind === 'fax' || !leaves) {
    closeNow(draft, { reason: 'voicemail' });
    return;
  }
  if (!state.machine) {
    silenceAgent(draft);
    state.closing = null;
    state.pendingAnswer = null;
    state.tools = [];
    state.utterance = EMPTY_UTTERANCE;
    state.caller = { phase: 'silent' };
    state.machine = { kind: 'greeting', since: draft.at };
  }
  if (event.kind === 'machine_end') leaveMessage(draft);
}

/** Leaves the message, after the beep or when it must have been missed. */
export function leaveMessage(draft: Draft): void {
  const { state } = draft;
  state.machine = { kind: 'message' };
  say(draft, 'voicemail', state.options.voicemail.message, { uninterruptible: true });
  close(draft, { reason: 'voicemail' });
}

export function greetingDeadline({ machine }: State): number | null {
  return machine?.kind === 'greeting' ? machine.since + GREETING_LIMIT_MS : null;
}
