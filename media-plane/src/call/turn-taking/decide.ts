import { gatherEvidence } from './answering-machine/evidence.js';
import { onDtmf, onSpeechStarted, onSpeechStopped, onTranscript, onTurnResumed } from './caller.js';
import { closeNow, onCarrierStopped, onMaxDuration } from './closing.js';
import { DEADLINES } from './deadlines.js';
import { onEagerEndOfTurn, onEndOfTurn } from './end-of-turn.js';
import type { TurnTakingEvent } from './events.js';
import { onGenerationFailed, onProviderFailed } from './failure.js';
import { onHandoffReady } from './handoff.js';
import { releaseNotes } from './notes.js';
import { onCallStarted } from './opening.js';
import type { Decision } from './port.js';
import { proceed } from './proceed.js';
import { onConversationReplaced, onTranscribed } from './speech-to-speech.js';
import type { Draft, State } from './state.js';
import { armTimers, onTimer } from './timers.js';
import { onToolCall, onToolFinished } from './tools.js';
import { rememberWhisper } from './transcript.js';
import { onTurnCompletion } from './turn-completion.js';
import { onCleared, onPlaybackFinished } from './turn-end.js';
import { dropSpeculation, onAudioReady, onGenerationFinished, onPlayback, onText } from './turns.js';
import { considerAnswer, onMachineDetected } from './voicemail.js';

export type { State } from './state.js';
export { initialState } from './state.js';

/**
 * Decides all of turn-taking: what the event means in this state, and what is to be done. Pure; never throws; after
 * `hang_up` nothing follows.
 */
export function decide(state: State, event: TurnTakingEvent): Decision<State> {
  if (state.over) return { state, effects: [] };
  const draft: Draft = { state: { ...state }, effects: [], at: event.at };
  gatherEvidence(draft, event);
  apply(draft, event);
  // Where the audio stands and what a sentence says lead to nothing by themselves.
  if (event.type !== 'playback' && event.type !== 'text' && !draft.state.over) {
    considerAnswer(draft);
    proceed(draft);
    armTimers(draft, DEADLINES);
  }
  releaseNotes(draft);
  return { state: draft.state, effects: draft.effects };
}

function apply(draft: Draft, event: TurnTakingEvent): void {
  switch (event.type) {
    case 'speech_started':
    case 'speech_stopped':
    case 'transcript':
    case 'end_of_turn':
    case 'turn_completion':
    case 'eager_end_of_turn':
    case 'turn_resumed':
    case 'transcribed':
    case 'dtmf':
      // A machine does not converse.
      if (!draft.state.machine) applyCaller(draft, event);
      return;
    case 'text':
      onText(draft, event);
      return;
    case 'tool_call':
      onToolCall(draft, event.turn, event.call);
      return;
    case 'generation_finished':
      onGenerationFinished(draft, event.turn);
      return;
    case 'generation_failed':
      onGenerationFailed(draft, event);
      return;
    case 'audio_ready':
      onAudioReady(draft, event.turn);
      return;
    case 'playback':
      onPlayback(draft, event);
      return;
    case 'playback_finished':
      onPlaybackFinished(draft, event);
      return;
    case 'cleared':
      onCleared(draft, event);
      return;
    case 'call_started':
      onCallStarted(draft);
      return;
    case 'tool_finished':
      onToolFinished(draft, event);
      return;
    case 'whisper':
      rememberWhisper(draft, event.text);
      // Its answer must know the note.
      dropSpeculation(draft, 'superseded');
      return;
    case 'operator_hangup':
      closeNow(draft, { reason: event.reason });
      return;
    case 'machine_detected':
      onMachineDetected(draft, event);
      return;
    case 'beep':
      // Evidence of a machine, and nothing else.
      return;
    case 'timer':
      onTimer(draft, DEADLINES, event.name);
      return;
    case 'carrier_stopped':
      onCarrierStopped(draft);
      return;
    case 'limit_reached':
      onMaxDuration(draft);
      return;
    case 'conversation_replaced':
      onConversationReplaced(draft, event);
      return;
    case 'handoff_ready':
      onHandoffReady(draft, event.agent);
      return;
    case 'provider_failed':
      onProviderFailed(draft, event.code);
      return;
  }
}

type CallerTypes =
  | 'speech_started'
  | 'speech_stopped'
  | 'transcript'
  | 'end_of_turn'
  | 'turn_completion'
  | 'eager_end_of_turn'
  | 'turn_resumed'
  | 'transcribed'
  | 'dtmf';

function applyCaller(draft: Draft, event: Extract<TurnTakingEvent, { type: CallerTypes }>): void {
  switch (event.type) {
    case 'speech_started':
      onSpeechStarted(draft, event);
      return;
    case 'speech_stopped':
      onSpeechStopped(draft, event);
      return;
    case 'transcript':
      onTranscript(draft, event);
      return;
    case 'end_of_turn':
      onEndOfTurn(draft, event);
      return;
    case 'turn_completion':
      onTurnCompletion(draft, event);
      return;
    case 'eager_end_of_turn':
      onEagerEndOfTurn(draft, event);
      return;
    case 'turn_resumed':
      onTurnResumed(draft);
      return;
    case 'transcribed':
      onTranscribed(draft, event);
      return;
    case 'dtmf':
      onDtmf(draft, event.digit);
      return;
  }
}
