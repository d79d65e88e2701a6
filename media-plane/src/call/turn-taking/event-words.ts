import type { TurnTakingEvent } from './events.js';

const WORDS: Readonly<Partial<Record<TurnTakingEvent['type'], string>>> = {
  speech_started: 'The caller began to speak.',
  speech_stopped: 'The caller stopped speaking.',
  transcript: 'Words came from the recogniser.',
  turn_resumed: 'The caller went on.',
  transcribed: 'What the caller had said became known.',
  dtmf: 'The caller pressed a key.',
  generation_finished: 'The model had said all.',
  audio_ready: 'The first sound of a turn was ready.',
  playback_finished: 'The agent had said its turn.',
  cleared: 'The agent was silenced.',
  whisper: 'An operator whispered.',
  operator_hangup: 'An operator ended the call.',
  carrier_stopped: 'The line was closed.',
  limit_reached: 'The longest duration of a call was reached.',
  conversation_replaced: 'Another provider took over.',
  handoff_ready: 'The next agent was ready.',
};

/** Says what happened, without what it was about. */
export function eventWords(event: TurnTakingEvent): string {
  if (event.type === 'timer') return `The time for ${spaced(event.name)} had come.`;
  return WORDS[event.type] ?? `What happened: ${spaced(event.type)}.`;
}

/** `false_interruption` → `false interruption`. */
export const spaced = (name: string): string => name.replaceAll('_', ' ');
