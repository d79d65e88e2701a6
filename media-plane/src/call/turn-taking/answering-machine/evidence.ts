import { isGreeting } from '../backchannel.js';
import type { TurnTakingEvent } from '../events.js';
import { type Draft, findTurn, type State } from '../state.js';
import { hasWords, join } from '../words.js';
import { type AnswerEvidence, EARLY_MS, NO_EVIDENCE, PAUSE_MS, type SpeechRun } from './answer.js';
import type { Circumstances } from './judgement.js';
import { isMidConversation } from './mid-conversation.js';

/** Notes what the event says of who has answered: speech, words, tones, the carrier's verdict. */
export function gatherEvidence(draft: Draft, event: TurnTakingEvent): void {
  const { state, at } = draft;
  const { answer } = state;
  if (!answer.open) return;
  switch (event.type) {
    case 'speech_started':
      state.answer = speechStarted(state, Math.min(event.startedAt, at));
      return;
    case 'speech_stopped': {
      const { run } = answer;
      if (run?.endedAt !== null) return;
      const endedAt = Math.max(run.startedAt, Math.min(event.stoppedAt, at));
      state.answer = { ...answer, run: { ...run, endedAt } };
      return;
    }
    case 'transcript':
      if (hasWords(event.text)) state.answer = heard(answer, event, state.machine !== null);
      return;
    case 'transcribed':
      state.answer = { ...answer, text: join(answer.text, event.text.trim()) };
      return;
    case 'playback_finished': {
      const purpose = findTurn(state, event.turn)?.purpose;
      if (event.playedMs === 0 || answer.run?.endedAt == null) return;
      if (purpose !== 'answer' && purpose !== 'first_message') return;
      const answerHeardAt = purpose === 'answer' ? at : answer.answerHeardAt;
      state.answer = { ...answer, listened: true, answerHeardAt };
      return;
    }
    case 'beep':
      state.answer = { ...answer, beep: { hz: event.hz, ms: event.ms, at } };
      return;
    case 'machine_detected':
      if (event.kind === 'human') state.answer = { ...answer, carrier: 'human' };
      else if (event.kind === 'machine_end')
        state.answer = { ...answer, carrier: 'machine', greetingEnded: true };
      else state.answer = { ...answer, carrier: 'machine' };
      return;
    default:
      return;
  }
}

/** Forgets what a person's answer has refuted. */
export function refuted(answer: AnswerEvidence, stillOpen: boolean): AnswerEvidence {
  return { ...NO_EVIDENCE, open: stillOpen, corrections: answer.corrections + 1 };
}

/** Returns what a judgement needs to know of the call. */
export function circumstancesOf(state: State): Circumstances {
  return {
    language: state.options.language,
    hearsWords: state.hearsWords,
    isHello: (text) => isGreeting(state, text),
  };
}

function speechStarted(state: State, startedAt: number): AnswerEvidence {
  const { answer } = state;
  const { run } = answer;
  if (run?.endedAt === null) return answer;
  if (run && startedAt - run.endedAt <= PAUSE_MS) return { ...answer, run: { ...run, endedAt: null } };
  const early = startedAt - (state.startedAt ?? 0) <= EARLY_MS;
  const next: SpeechRun = {
    startedAt,
    endedAt: null,
    early,
    replies: answer.answerHeardAt !== null,
    text: '',
    interim: '',
  };
  // After a beep a machine is silent: what is followed by speech was another tone.
  const before = run ? archived(answer, run) : answer;
  const begun = { ...before, run: next, beep: null, listened: false, answerHeardAt: null };
  if (early || answer.conversed || !isMidConversation(answer, startedAt, circumstancesOf(state)))
    return begun;
  return { ...begun, conversed: true, text: '', earlyMs: 0 };
}

/** Returns the evidence with the run among those that are over. */
function archived(answer: AnswerEvidence, run: SpeechRun): AnswerEvidence {
  const ms = (run.endedAt ?? run.startedAt) - run.startedAt;
  return {
    ...answer,
    text: join(answer.text, join(run.text, run.interim)),
    speechMs: answer.speechMs + ms,
    earlyMs: run.early ? Math.max(answer.earlyMs, ms) : answer.earlyMs,
  };
}

function heard(
  answer: AnswerEvidence,
  event: Extract<TurnTakingEvent, { type: 'transcript' }>,
  met: boolean,
): AnswerEvidence {
  const text = event.text.trim();
  // Words without speech: the detector has missed it.
  const run = answer.run ?? {
    startedAt: event.at,
    endedAt: event.at,
    early: false,
    replies: false,
    text: '',
    interim: '',
  };
  if (!event.final) return { ...answer, run: { ...run, interim: text } };
  const held = met ? join(answer.held, text) : answer.held;
  return { ...answer, held, run: { ...run, text: join(run.text, text), interim: '' } };
}
