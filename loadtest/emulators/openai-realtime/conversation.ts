import type { LlmMessage } from '@voice/shared/language-model/conversation';
import type { NewItem } from './client-events.js';
import { newId } from './ids.js';

type ContentPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_audio'; transcript: string | null }
  | { type: 'output_text'; text: string }
  | { type: 'output_audio'; transcript?: string };

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  readonly object: 'realtime.item';
  readonly role: 'system' | 'user' | 'assistant';
  status: 'completed' | 'incomplete' | 'in_progress';
  content: ContentPart[];
}

export interface CallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly object: 'realtime.item';
  readonly call_id: string;
  readonly name: string;
  status: 'completed' | 'incomplete' | 'in_progress';
  arguments: string;
}

interface OutputItem {
  readonly id: string;
  readonly type: 'function_call_output';
  readonly object: 'realtime.item';
  readonly call_id: string;
  readonly output: string;
  status: 'completed';
}

export type Item = MessageItem | CallItem | OutputItem;

/** An item and what the model knows of it beside what the client is shown. */
export interface Entry {
  readonly item: Item;
  /** What was said, as the model understood or remembers it. */
  understood: string;
  /** Audio of it, in ms. */
  audioMs: number;
}

/** Returns the entry that a client's item becomes. */
export function entryOf(item: NewItem, understood: (audio: Buffer) => { text: string; ms: number }): Entry {
  const base = { object: 'realtime.item', status: 'completed' } as const;
  if (item.type === 'function_call') {
    const { name, arguments: args } = item;
    const call_id = item.call_id ?? newId('call');
    return {
      item: { id: item.id ?? newId('item'), ...base, type: 'function_call', call_id, name, arguments: args },
      understood: '',
      audioMs: 0,
    };
  }
  if (item.type === 'function_call_output') {
    const { call_id, output } = item;
    return {
      item: { id: item.id ?? newId('item'), ...base, type: 'function_call_output', call_id, output },
      understood: '',
      audioMs: 0,
    };
  }
  let text = '';
  let audioMs = 0;
  const content = item.content.map((part): ContentPart => {
    if (part.type !== 'input_audio') {
      text += part.text;
      return { ...part };
    }
    const heard = understood(Buffer.from(part.audio, 'base64'));
    text += heard.text;
    audioMs += heard.ms;
    return { type: 'input_audio', transcript: part.transcript ?? null };
  });
  return {
    item: { id: item.id ?? newId('item'), ...base, type: 'message', role: item.role, content },
    understood: text,
    audioMs,
  };
}

/** The session's items in their order. */
export class Conversation {
  readonly id = newId('conv');
  readonly entries: Entry[] = [];

  find(id: string): Entry | undefined {
    return this.entries.find((entry) => entry.item.id === id);
  }

  hasCall(callId: string): boolean {
    return this.entries.some(({ item }) => item.type === 'function_call' && item.call_id === callId);
  }

  /** Returns the id of the item before, or null for the first. */
  previousOf(entry: Entry): string | null {
    return this.entries[this.entries.indexOf(entry) - 1]?.item.id ?? null;
  }

  /** @param after id of the item before, `root` for the beginning, undefined for the end; must exist */
  insert(entry: Entry, after?: string): void {
    if (after === undefined) this.entries.push(entry);
    else if (after === 'root') this.entries.unshift(entry);
    else this.entries.splice(this.entries.findIndex(({ item }) => item.id === after) + 1, 0, entry);
  }

  remove(entry: Entry): void {
    this.entries.splice(this.entries.indexOf(entry), 1);
  }
}

/** Returns the items as a language model reads them. */
export function messagesOf(instructions: string, entries: readonly Entry[]): LlmMessage[] {
  const messages: LlmMessage[] = [{ role: 'system', content: instructions }];
  for (const { item, understood } of entries) {
    switch (item.type) {
      case 'message':
        messages.push({ role: item.role, content: understood });
        break;
      case 'function_call': {
        const call = { id: item.call_id, name: item.name, arguments: item.arguments };
        messages.push({ role: 'assistant', content: '', toolCalls: [call] });
        break;
      }
      case 'function_call_output':
        messages.push({ role: 'tool', toolCallId: item.call_id, content: item.output });
    }
  }
  return messages;
}
