import type { Refusal, ResponseParams } from './client-events.js';
import { type Conversation, type Entry, entryOf } from './conversation.js';
import { noItem } from './item-commands.js';
import { type ModelSettings, ResponseRun } from './response.js';
import type { SessionConfig } from './session-config.js';
import type { InputTokens } from './usage.js';

export interface ResponsesOptions {
  readonly model: ModelSettings;
  readonly conversation: Conversation;
  readonly config: () => SessionConfig;
  readonly send: (event: Readonly<Record<string, unknown>>) => void;
  readonly tearConnection: () => void;
  /** A response is over, and gave this much audio, in ms. */
  readonly onDone: (audioMs: number) => void;
}

/** A session's responses: one at a time in the conversation, any number beside it. */
export class Responses {
  readonly #options: ResponsesOptions;
  readonly #running = new Set<ResponseRun>();
  #lastInput: InputTokens = { text: 0, audio: 0 };

  constructor(options: ResponsesOptions) {
    this.#options = options;
  }

  /** The response that is being given in the conversation. */
  get active(): ResponseRun | undefined {
    return [...this.#running].find((response) => response.inBand);
  }

  create(params: ResponseParams | undefined): Refusal | undefined {
    const { model, conversation, config, send, tearConnection } = this.#options;
    const { active } = this;
    if (active && (params?.conversation ?? 'auto') === 'auto') {
      const message =
        `Conversation already has an active response in progress: ${active.id}. ` +
        'Wait until the response is finished before creating a new one.';
      return { code: 'conversation_already_has_active_response', message, param: null };
    }
    const entries: Entry[] = params?.input ? [] : [...conversation.entries];
    for (const item of params?.input ?? []) {
      const entry =
        item.type === 'item_reference'
          ? conversation.find(item.id)
          : entryOf(item, () => ({ text: '', ms: 0 }));
      if (!entry) return noItem(item.id ?? '', 'reference');
      entries.push(entry);
    }
    const response = new ResponseRun({
      model,
      config: config(),
      params,
      conversation,
      entries,
      cached: this.#lastInput,
      send,
      tearConnection,
    });
    this.#running.add(response);
    void response.run().then(() => {
      this.#running.delete(response);
      if (params?.input === undefined) this.#lastInput = response.input;
      this.#options.onDone(response.audioMs);
    });
    return undefined;
  }

  /** @param id undefined for the one in the conversation */
  cancel(id: string | undefined): Refusal | undefined {
    const wanted = id === undefined ? this.active : [...this.#running].find((response) => response.id === id);
    if (!wanted) {
      const message = 'Cancellation failed: no active response found';
      return { code: 'response_cancel_not_active', message, param: null };
    }
    wanted.cancel('client_cancelled');
    return undefined;
  }

  cancelAll(): void {
    for (const response of this.#running) response.cancel('client_cancelled');
  }
}
