import { onBargeInTimer, onFalseInterruption } from './barge-in.js';
import { onDtmf, onSpeechStarted, onSpeechStopped, onTranscript, onTurnResumed } from './caller.js';
import { closeNow, onCarrierStopped, onClosingTimer, onMaxDuration } from './closing.js';
import { endTurn, onEagerEndOfTurn, onEndOfTurn, onMaxEndpointing } from './endpointing.js';
import type { TimerName, TurnTakingEvent } from './events.js';
import { onGenerationFailed, onProviderFailed, recover } from './failure.js';
import { releaseNotes } from './notes.js';
import { onCallStarted } from './opening.js';
import type { Decision } from './port.js';
import { dropSpeculation, onStableInterim } from './preemption.js';
import { proceed } from './proceed.js';
import { onFiller, onSilence } from './silence.js';
import type { Draft, State } from './state.js';
import { timerIsDue } from './timers.js';
import { onToolCall, onToolFinished } from './tools.js';
import { rememberWhisper } from './transcript.js';
import {
  onAudioReady,
  onCleared,
  onGenerationFinished,
  onPlayback,
  onPlaybackFinished,
  onText,
} from './turns.js';
import { leaveMessage, onMachineDetected } from './voicemail.js';
import { onConversationReplaced, onTranscribed } from './wordless.js';

export type { State } from './state.js';
export { initialState } from './state.js';

/**
 * The whole of turn-taking: what the event means in this state, and what is to be done. Pure; never
 * throws; after `hang_up` nothing follows.
 */
export function decide(state: State, event: TurnTakingEvent): Decision<State> {
  if (state.over) return { state, effects: [] };
  const draft: Draft = { state: { ...state }, effects: [], at: event.at };
  apply(draft, event);
  // Where the audio stands and what a sentence says lead to nothing by themselves.
  if (event.type !== 'playback' && event.type !== 'text' && !draft.state.over) proceed(draft);
  releaseNotes(draft);
  return { state: draft.state, effects: draft.effects };
}

function apply(draft: Draft, event: TurnTakingEvent): void {
  switch (event.type) {
    case 'speech_started':
    case 'speech_stopped':
    case 'transcript':
    case 'end_of_turn':
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
    case 'playback_finished': {
      const turn = onPlaybackFinished(draft, event);
      if (turn) recover(draft, turn);
      return;
    }
    case 'cleared': {
      const turn = onCleared(draft, event);
      if (turn) recover(draft, turn);
      return;
    }
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
    case 'timer':
      if (timerIsDue(draft, event.name)) applyTimer(draft, event.name);
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
  | 'eager_end_of_turn'
  | 'turn_resumed'
  | 'transcribed'
  | 'dtmf';

function applyCaller(draft: Draft, event: Extract<TurnTakingEvent, { type: CallerTypes }>): void {
  switch (event.type) {
    case 'speech_started':
      onSpeechStarted(draft, event.startedAt);
      return;
    case 'speech_stopped':
      onSpeechStopped(draft, event.stoppedAt);
      return;
    case 'transcript':
      onTranscript(draft, event);
      return;
    case 'end_of_turn':
      onEndOfTurn(draft, event);
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

function applyTimer(draft: Draft, name: TimerName): void {
  switch (name) {
    case 'endpointing':
      endTurn(draft);
      return;
    case 'max_endpointing':
      onMaxEndpointing(draft);
      return;
    case 'stable_interim':
      onStableInterim(draft);
      return;
    case 'barge_in':
      onBargeInTimer(draft);
      return;
    case 'false_interruption':
      onFalseInterruption(draft);
      return;
    case 'filler':
      onFiller(draft);
      return;
    case 'silence':
      onSilence(draft);
      return;
    case 'max_duration':
      onMaxDuration(draft);
      return;
    case 'closing':
      if (draft.state.machine?.kind === 'greeting') leaveMessage(draft);
      else onClosingTimer(draft);
      return;
  }
}
