import type { Machine, MessageAfter, Opening } from './answering-machine/answer.js';
import { circumstancesOf, refuted } from './answering-machine/evidence.js';
import { type Judgement, judgeAnswer, nextMoment } from './answering-machine/judgement.js';
import { close, closeNow, silenceAgent } from './closing.js';
import { endTurn } from './endpointing.js';
import type { OutsideEvent } from './events.js';
import { endByDeferredFailure } from './failure.js';
import { audibleTurn, type Draft, type State, type Turn } from './state.js';
import { say } from './turns.js';
import { EMPTY_UTTERANCE } from './utterance.js';

/** What is done about an answering machine: hung up on, or left a message; and about a person taken for one. */

/** From when on nobody who answered is a machine any more, in ms after the call's beginning. */
const WINDOW_MS = 60_000;
/** A greeting whose end is not noticed counts as over after this, in ms. */
const GREETING_LIMIT_MS = 30_000;
/** Silence after a greeting, in ms, after which no beep is waited for any longer. */
const NO_BEEP_MS = 3000;
/** Speech in the middle of a message, in ms, that shows that the greeting was not over. */
const GREETING_GOES_ON_MS = 1200;
/** How often a message is begun anew, because the greeting went on or the beep came. */
const MESSAGE_ATTEMPTS = 3;
/** How often a machine may turn out to be a person; then it is one. */
const CORRECTIONS = 2;

const AFTER: Readonly<Record<MessageAfter, string>> = {
  beep: 'after the beep',
  carrier: 'after the end of the greeting that the carrier reported',
  silence: `after ${NO_BEEP_MS / 1000} s of silence without a beep`,
  limit: `after ${GREETING_LIMIT_MS / 1000} s, because the greeting's end was not noticed`,
};

/** Handles the carrier's verdict: a fax is hung up on; the rest is weighed with what is heard (`considerAnswer`). */
export function onMachineDetected(
  draft: Draft,
  { kind }: Extract<OutsideEvent, { type: 'machine_detected' }>,
): void {
  const { state } = draft;
  if (!state.options.voicemail.detect || kind === 'human' || state.machine?.kind === 'message') return;
  if (isEnding(state)) return;
  if (!state.answer.open) overrule(draft);
  else if (kind === 'fax') closeNow(draft, { reason: 'voicemail' });
}

/** Judges after each event who has answered, and acts upon it. */
export function considerAnswer(draft: Draft): void {
  const { state, at } = draft;
  const { answer, machine, startedAt } = state;
  if (!answer.open || state.over) return;
  if (!machine) {
    if (isEnding(state)) return;
    const past = startedAt !== null && at - startedAt > WINDOW_MS;
    const judgement = judge(draft);
    if (judgement.machine) meetMachine(draft, judgement);
    else if (past || judgement.conversing) state.answer = { ...answer, open: false };
    else if (answer.carrier === 'machine' && judgement.person) overrule(draft);
    return;
  }
  // Only a machine beeps.
  if (machine.kind === 'message' && machine.after === 'beep') return;
  if (judge(draft).person && answer.run !== null && !isSpent(answer.run.endedAt, machine)) {
    correct(draft, machine);
    return;
  }
  const beeped = answer.beep !== null && answer.beep.at >= machine.since;
  if (machine.kind === 'greeting') awaitEnd(draft, machine, beeped);
  else if (beeped) leaveMessage(draft, machine, 'beep');
  else if (goesOn(draft, machine)) waitAgain(draft, machine);
}

/** Returns when silence or the length of speech alone may change what is done about the answer. */
export function answeringMachineDeadline(state: State, now: number): number | null {
  const { answer, machine } = state;
  if (!answer.open || state.startedAt === null) return null;
  if (!machine) return isEnding(state) ? null : nextMoment(answer, now);
  if (machine.kind === 'message' && machine.after === 'beep') return null;
  const moments: number[] = [];
  const next = nextMoment(answer, now);
  if (next !== null) moments.push(next);
  if (machine.kind === 'greeting') {
    moments.push(machine.since + GREETING_LIMIT_MS);
    if (answer.run?.endedAt != null) moments.push(answer.run.endedAt + NO_BEEP_MS);
  } else if (answer.run) {
    moments.push(Math.max(answer.run.startedAt, machine.since) + GREETING_GOES_ON_MS);
  }
  return moments.filter((moment) => moment > now).reduce<number | null>(earlier, null);
}

function earlier(a: number | null, b: number): number {
  return a === null ? b : Math.min(a, b);
}

function judge({ state, at }: Draft): Judgement {
  return judgeAnswer(state.answer, at, circumstancesOf(state));
}

function isEnding({ closing }: State): boolean {
  return closing !== null && !closing.revocable;
}

/** Returns whether speech was over before the machine was met: then it was weighed already. */
function isSpent(endedAt: number | null, machine: Machine): boolean {
  return machine.kind === 'message' && endedAt !== null && endedAt < machine.since;
}

function meetMachine(draft: Draft, { signals, detail }: Judgement): void {
  const { state } = draft;
  const { voicemail } = state.options;
  const leaves = voicemail.action === 'leave_message' && voicemail.message.trim() !== '';
  notice(draft, 'answering_machine', `An answering machine, by ${signals.join(' and ')}: ${detail}.`);
  if (!leaves) {
    closeNow(draft, { reason: 'voicemail' });
    return;
  }
  const unsaid = state.turns.flatMap(unsaidBy);
  silenceAgent(draft);
  state.closing = null;
  state.pendingAnswer = null;
  state.tools = [];
  state.answer = { ...state.answer, held: state.utterance.finals };
  state.utterance = EMPTY_UTTERANCE;
  state.caller = { phase: 'silent' };
  const machine = { kind: 'greeting', since: draft.at, attempts: 0, unsaid } as const;
  state.machine = machine;
  prepareMessage(draft);
  awaitEnd(draft, machine, state.answer.beep !== null);
}

/** Lets the message be synthesized while the greeting goes on: it is played from the beep on (`playNext`). */
function prepareMessage(draft: Draft): void {
  const { state } = draft;
  const prepared = state.turns.some(({ purpose, phase }) => purpose === 'voicemail' && phase === 'preparing');
  if (!prepared) say(draft, 'voicemail', state.options.voicemail.message, { uninterruptible: true });
}

/** Returns what must still be said to a person: a disclosure as a whole, the first message unless it was begun. */
function unsaidBy({ purpose, phase }: Turn): Opening[] {
  if (purpose === 'disclosure') return ['disclosure'];
  return purpose === 'first_message' && phase === 'preparing' ? ['first_message'] : [];
}

/** Leaves the message where the greeting is over. */
function awaitEnd(draft: Draft, machine: Machine, beeped: boolean): void {
  const { state, at } = draft;
  const { run, greetingEnded } = state.answer;
  if (beeped) leaveMessage(draft, machine, 'beep');
  else if (greetingEnded) leaveMessage(draft, machine, 'carrier');
  else if (run?.endedAt != null && at >= run.endedAt + NO_BEEP_MS) leaveMessage(draft, machine, 'silence');
  else if (at >= machine.since + GREETING_LIMIT_MS) leaveMessage(draft, machine, 'limit');
}

function leaveMessage(draft: Draft, { attempts, unsaid }: Machine, after: MessageAfter): void {
  const { state } = draft;
  // One that is not audible yet is as good as a new one.
  if (audibleTurn(state)) silenceAgent(draft);
  state.machine = { kind: 'message', since: draft.at, after, attempts: attempts + 1, unsaid };
  notice(draft, 'voicemail_message', `The message is left ${AFTER[after]}.`);
  prepareMessage(draft);
  close(draft, { reason: 'voicemail' });
}

/** Returns whether the greeting turns out not to have been over. */
function goesOn({ state, at }: Draft, machine: Machine): boolean {
  const { run } = state.answer;
  if (!run || machine.attempts >= MESSAGE_ATTEMPTS) return false;
  return (run.endedAt ?? at) - Math.max(run.startedAt, machine.since) >= GREETING_GOES_ON_MS;
}

function waitAgain(draft: Draft, { attempts, unsaid }: Machine): void {
  const { state } = draft;
  silenceAgent(draft);
  state.closing = null;
  state.answer = { ...state.answer, greetingEnded: false };
  state.machine = { kind: 'greeting', since: draft.at, attempts, unsaid };
  prepareMessage(draft);
}

/** Takes back that it was a machine: what the person said to a silent agent, or into the message, is their turn. */
function correct(draft: Draft, { unsaid }: Machine): void {
  const { state, at } = draft;
  const { answer, options } = state;
  if (endByDeferredFailure(draft)) return;
  notice(draft, 'answering_machine_corrected', 'A person has answered after all; the conversation goes on.');
  silenceAgent(draft);
  state.closing = null;
  state.machine = null;
  state.caller = { phase: 'silent' };
  state.answer = refuted(answer, answer.corrections + 1 < CORRECTIONS);
  if (unsaid.includes('disclosure') && options.disclosure !== null) {
    say(draft, 'disclosure', options.disclosure, { uninterruptible: true, first: true });
  }
  if (unsaid.includes('first_message')) say(draft, 'first_message', options.firstMessage);
  const held = answer.held === '' ? (answer.run?.interim ?? '') : answer.held;
  const startedAt = Math.min(answer.run?.startedAt ?? at, at);
  if (held !== '' || !state.hearsWords) {
    const spoken = held === '';
    state.utterance = { ...EMPTY_UTTERANCE, finals: held, spoken, startedAt, textAt: at };
    endTurn(draft);
  } else {
    // Said before the machine was met, and remembered.
    state.pendingAnswer = { basis: '', attempt: 1, owedSince: null, endOfTurn: null };
  }
}

function overrule(draft: Draft): void {
  draft.state.answer = { ...draft.state.answer, carrier: null };
  notice(
    draft,
    'answering_machine_overruled',
    'The carrier took the other end for an answering machine; a person is speaking.',
  );
}

function notice({ effects }: Draft, code: string, message: string): void {
  effects.push({ type: 'notice', code, message });
}
