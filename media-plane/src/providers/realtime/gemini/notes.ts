import type { RealtimeHistoryItem } from '../port.js';
import { control, type OutboxMessage } from './outbox.js';

/** A turn of `clientContent`; the Live API knows no other roles. */
export interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: readonly { readonly text: string }[];
}

/** Builds a message of turns. `turnComplete` asks the model to answer; either way it interrupts what it is saying. */
export function content(turns: readonly Turn[], turnComplete: boolean): OutboxMessage {
  return control({ clientContent: { turns, turnComplete } });
}

function turn(role: Turn['role'], text: string): Turn {
  return { role, parts: [{ text }] };
}

/** Wraps what the caller did not say in brackets, and says so: there is no role for it. */
export function note(text: string): Turn {
  return turn('user', `[Note to you, not said by the caller: ${text}]`);
}

/** Writes something that was said or done as text: native-audio models take no other history. */
export function historyTurn(item: RealtimeHistoryItem): Turn {
  switch (item.role) {
    case 'user':
      return turn('user', item.text);
    case 'assistant':
      return turn('model', item.text);
    case 'system':
      return note(item.text);
    case 'tool_call':
      return note(`you called ${item.call.name} with ${item.call.arguments}`);
    case 'tool_result':
      return note(`the result of your tool call: ${item.text}`);
  }
}

export function sayExactly(text: string): Turn {
  return turn('user', `[Say exactly the following words and nothing else, and use no tool: "${text}"]`);
}

export function goOn(): Turn {
  return note('it is your turn to speak now. Go on with the conversation.');
}

export function noise(): Turn {
  return note('what you heard last was noise and no words. Do not answer it.');
}

/** Notes where the caller stopped hearing the last answer; the Live API cannot forget the rest. */
export function heardOnly(text: string): Turn {
  if (text === '') {
    return note('the caller heard nothing of your last answer. It was not spoken.');
  }
  return note(`the caller interrupted you and heard only: "${text}". The rest of it was not spoken.`);
}

/** Returns the part of a text that was heard when `heardMs` of its `audioMs` were, in whole words. */
export function heardText(text: string, heardMs: number, audioMs: number): string {
  if (audioMs <= 0 || heardMs <= 0) return '';
  const length = Math.round(text.length * Math.min(1, heardMs / audioMs));
  if (length >= text.length) return text.replaceAll('"', "'").trim();
  // A word that was cut was not heard.
  const cut = text.slice(0, length);
  const whole = /\s/.test(text[length]!) ? cut : cut.replace(/\S*$/, '');
  return whole.replaceAll('"', "'").trim();
}
