import type { CallItem, Conversation, Entry, Item, MessageItem } from './conversation.js';
import { newId } from './ids.js';
import type { SpokenChunk } from './voice.js';

/** Characters of a tool call's arguments in one delta. */
const FRAGMENT_LENGTH = 7;

/** Where a response's output goes. */
export interface OutputTarget {
  readonly responseId: string;
  /** Undefined for a response that leaves no trace in the conversation. */
  readonly conversation: Conversation | undefined;
  readonly send: (event: Readonly<Record<string, unknown>>) => void;
}

/** Copies the item, which goes on changing. */
function shown(item: Item): Item {
  return structuredClone(item);
}

function begin(target: OutputTarget, entry: Entry, outputIndex: number): void {
  const { responseId, conversation, send } = target;
  send({
    type: 'response.output_item.added',
    response_id: responseId,
    output_index: outputIndex,
    item: shown(entry.item),
  });
  if (!conversation) return;
  conversation.insert(entry);
  const previous = conversation.previousOf(entry);
  send({ type: 'conversation.item.added', previous_item_id: previous, item: shown(entry.item) });
}

function end(target: OutputTarget, entry: Entry, outputIndex: number): void {
  const { responseId, conversation, send } = target;
  if (conversation) {
    const previous = conversation.previousOf(entry);
    send({ type: 'conversation.item.done', previous_item_id: previous, item: shown(entry.item) });
  }
  send({
    type: 'response.output_item.done',
    response_id: responseId,
    output_index: outputIndex,
    item: shown(entry.item),
  });
}

/** An assistant's message as it is spoken, or written where the output is text. */
export class MessageOutput {
  readonly item: MessageItem;
  readonly #target: OutputTarget;
  readonly #entry: Entry;
  readonly #index: number;
  readonly #modality: 'audio' | 'text';
  #text = '';

  constructor(target: OutputTarget, index: number, modality: 'audio' | 'text') {
    this.#target = target;
    this.#index = index;
    this.#modality = modality;
    this.item = {
      id: newId('item'),
      object: 'realtime.item',
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    };
    this.#entry = { item: this.item, understood: '', audioMs: 0 };
    begin(target, this.#entry, index);
    const part = modality === 'audio' ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
    this.#send('response.content_part.added', { part });
  }

  add({ text, audio, ms }: SpokenChunk): void {
    this.#text += text;
    this.#entry.understood = this.#text;
    if (this.#modality === 'text') {
      if (text !== '') this.#send('response.output_text.delta', { delta: text });
      return;
    }
    if (text !== '') this.#send('response.output_audio_transcript.delta', { delta: text });
    this.#entry.audioMs += ms;
    const delta = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64');
    this.#send('response.output_audio.delta', { delta });
  }

  end(status: 'completed' | 'incomplete'): void {
    this.item.status = status;
    if (this.#modality === 'audio') {
      this.item.content = [{ type: 'output_audio', transcript: this.#text }];
      this.#send('response.output_audio.done', {});
      this.#send('response.output_audio_transcript.done', { transcript: this.#text });
      this.#send('response.content_part.done', { part: { type: 'audio', transcript: this.#text } });
    } else {
      this.item.content = [{ type: 'output_text', text: this.#text }];
      this.#send('response.output_text.done', { text: this.#text });
      this.#send('response.content_part.done', { part: { type: 'text', text: this.#text } });
    }
    end(this.#target, this.#entry, this.#index);
  }

  #send(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#target.send({
      type,
      response_id: this.#target.responseId,
      item_id: this.item.id,
      output_index: this.#index,
      content_index: 0,
      ...fields,
    });
  }
}

/** A tool call as its arguments are written. */
export class CallOutput {
  readonly item: CallItem;
  readonly #target: OutputTarget;
  readonly #index: number;
  readonly #arguments: string;

  constructor(
    target: OutputTarget,
    index: number,
    call: { readonly name: string; readonly arguments: string },
  ) {
    this.#target = target;
    this.#index = index;
    this.#arguments = call.arguments;
    this.item = {
      id: newId('item'),
      object: 'realtime.item',
      type: 'function_call',
      call_id: newId('call'),
      name: call.name,
      status: 'in_progress',
      arguments: '',
    };
  }

  run(): void {
    const entry: Entry = { item: this.item, understood: '', audioMs: 0 };
    begin(this.#target, entry, this.#index);
    const base = {
      response_id: this.#target.responseId,
      item_id: this.item.id,
      output_index: this.#index,
      call_id: this.item.call_id,
    };
    for (let at = 0; at < this.#arguments.length; at += FRAGMENT_LENGTH) {
      const delta = this.#arguments.slice(at, at + FRAGMENT_LENGTH);
      this.#target.send({ type: 'response.function_call_arguments.delta', ...base, delta });
    }
    this.item.arguments = this.#arguments;
    this.item.status = 'completed';
    this.#target.send({
      type: 'response.function_call_arguments.done',
      ...base,
      name: this.item.name,
      arguments: this.#arguments,
    });
    end(this.#target, entry, this.#index);
  }
}
