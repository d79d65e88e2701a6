import { bytesPerMs, CallerAudio, type Recognition } from './caller-audio.js';
import type { ClientEvent, Refusal } from './client-events.js';
import { type Conversation, type Entry, entryOf } from './conversation.js';
import type { RealtimeFormat } from './session-schema.js';

type EventOf<T extends ClientEvent['type']> = Extract<ClientEvent, { type: T }>;

export interface ItemCommandsOptions {
  readonly conversation: Conversation;
  readonly recognition: Recognition;
  /** The format of audio in the client's items. */
  readonly inputFormat: () => RealtimeFormat;
  readonly send: (event: Readonly<Record<string, unknown>>) => void;
}

/** What a client may do to the conversation's items. Each command returns why it was refused. */
export class ItemCommands {
  readonly #options: ItemCommandsOptions;

  constructor(options: ItemCommandsOptions) {
    this.#options = options;
  }

  /** Says that an item is in the conversation, and that it is whole. */
  announce(entry: Entry): void {
    const { conversation, send } = this.#options;
    const previous_item_id = conversation.previousOf(entry);
    const item = structuredClone(entry.item);
    send({ type: 'conversation.item.added', previous_item_id, item });
    send({ type: 'conversation.item.done', previous_item_id, item });
  }

  create({ item, previous_item_id: after }: EventOf<'conversation.item.create'>): Refusal | undefined {
    const { conversation, recognition, inputFormat } = this.#options;
    if (item.id !== undefined && conversation.find(item.id)) {
      const message = `Error adding item: an item with id '${item.id}' already exists.`;
      // This code is recalled, not checked.
      return { code: 'item_create_duplicate_item_id', message, param: 'item.id' };
    }
    if (item.type === 'function_call_output' && !conversation.hasCall(item.call_id)) {
      const message = `Tool call ID '${item.call_id}' not found in conversation.`;
      return { code: 'invalid_tool_call_id', message, param: 'item.call_id' };
    }
    if (typeof after === 'string' && after !== 'root' && !conversation.find(after)) {
      return noItem(after, 'create');
    }
    const entry = entryOf(item, (audio) => {
      const heard = new CallerAudio(recognition, inputFormat());
      heard.append(audio);
      return { text: heard.understand(0, heard.endMs), ms: audio.length / bytesPerMs(inputFormat()) };
    });
    conversation.insert(entry, after ?? undefined);
    this.announce(entry);
    return undefined;
  }

  retrieve({ item_id: id }: EventOf<'conversation.item.retrieve'>): Refusal | undefined {
    const entry = this.#options.conversation.find(id);
    if (!entry) return noItem(id, 'retrieve');
    this.#options.send({ type: 'conversation.item.retrieved', item: structuredClone(entry.item) });
    return undefined;
  }

  delete({ item_id: id }: EventOf<'conversation.item.delete'>): Refusal | undefined {
    const entry = this.#options.conversation.find(id);
    if (!entry) return noItem(id, 'delete');
    this.#options.conversation.remove(entry);
    this.#options.send({ type: 'conversation.item.deleted', item_id: id });
    return undefined;
  }

  truncate({ item_id: id, audio_end_ms: endMs }: EventOf<'conversation.item.truncate'>): Refusal | undefined {
    const entry = this.#options.conversation.find(id);
    if (!entry) return noItem(id, 'truncate');
    const { item } = entry;
    if (item.type !== 'message' || item.role !== 'assistant' || entry.audioMs === 0) {
      const message = 'Only model output audio messages can be truncated.';
      return { code: 'invalid_value', message, param: 'item_id' };
    }
    if (endMs > entry.audioMs) {
      const message = `Audio content of ${Math.floor(entry.audioMs)}ms is already shorter than ${endMs}ms`;
      return { code: 'invalid_value', message, param: 'audio_end_ms' };
    }
    // The transcript goes; the model still knows what it was heard to say.
    const characters = Math.floor((entry.understood.length * endMs) / entry.audioMs);
    entry.understood = entry.understood.slice(0, characters);
    entry.audioMs = endMs;
    item.content = [{ type: 'output_audio' }];
    this.#options.send({
      type: 'conversation.item.truncated',
      item_id: id,
      content_index: 0,
      audio_end_ms: endMs,
    });
    return undefined;
  }
}

/** Creates the refusal of an unknown item. Its codes are recalled, not checked: `item_<action>_invalid_item_id`. */
export function noItem(
  id: string,
  action: 'create' | 'retrieve' | 'delete' | 'truncate' | 'reference',
): Refusal {
  return {
    code: `item_${action}_invalid_item_id`,
    message: `The item with id '${id}' does not exist in the conversation.`,
    param: action === 'create' ? 'previous_item_id' : 'item_id',
  };
}
