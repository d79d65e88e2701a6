import { z } from 'zod';
import { CUT_OFF_ARGUMENTS, type LlmToolCall } from '../language-model/conversation.js';

/** What an answer brings. */
export type AnswerEvent =
  | { readonly type: 'text'; readonly delta: string }
  /** Part of a tool call came. */
  | { readonly type: 'tool_call_part' }
  | { readonly type: 'tool_call'; readonly call: LlmToolCall }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  /** The answer is whole. `reason`: why the model ended it. */
  | { readonly type: 'end'; readonly reason: string }
  | { readonly type: 'error'; readonly errorType: string; readonly message: string };

const count = z
  .number()
  .nullish()
  .transform((tokens) => tokens ?? 0);
const inputUsage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
});

/**
 * Events of a stream but for those that come with each token (platform.claude.com, "Streaming messages"); others may be
 * added and are to be ignored.
 */
const streamEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage: inputUsage }) }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.number(),
    content_block: z.object({
      type: z.string(),
      id: z.string().optional(),
      name: z.string().optional(),
      text: z.string().optional(),
    }),
  }),
  z.object({ type: z.literal('content_block_stop'), index: z.number() }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: z.object({ output_tokens: count }).optional(),
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({
    type: z.literal('error'),
    error: z.object({ type: z.string(), message: z.string().default('') }),
  }),
]);
type StreamEvent = z.infer<typeof streamEvent>;

/** Read without a schema: one comes with each token. */
interface BlockDelta {
  readonly type: 'content_block_delta';
  readonly index: number;
  readonly delta: { readonly type: string; readonly text?: unknown; readonly partial_json?: unknown };
}

const KNOWN: ReadonlySet<string> = new Set(streamEvent.options.map(({ shape }) => shape.type.value));

/** An event that is not what the API says it is. */
export class UnreadableEvent extends Error {}

/** Reasons of an end that is not the model's own (platform.claude.com, "Handling stop reasons"). */
const CUT_OFF_BY: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

interface Call {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  json: string;
}

/** Puts one streamed answer together, event by event. Thinking is left out. */
export class AnswerStream {
  readonly #calls = new Map<number, Call>();
  /** Calls that were sent to their end: why it was the end is known only with the answer's. */
  readonly #ended: Call[] = [];
  #lastBlock = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #stopReason = '';

  /** Reads the data of one event. Throws `UnreadableEvent`. */
  read(data: string): readonly AnswerEvent[] {
    const event = parse(data);
    return event === undefined ? [] : this.#take(event);
  }

  #take(event: StreamEvent | BlockDelta): readonly AnswerEvent[] {
    switch (event.type) {
      case 'message_start': {
        const { usage } = event.message;
        // What is written to the cache and read from it is not among `input_tokens`.
        this.#inputTokens =
          usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
        this.#outputTokens = usage.output_tokens;
        return [];
      }
      case 'content_block_start':
        return this.#begin(event.index, event.content_block);
      case 'content_block_delta':
        return this.#add(event.index, event.delta);
      case 'content_block_stop':
        this.#finish(event.index);
        return [];
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        // Counts all of the answer so far.
        this.#outputTokens = event.usage?.output_tokens ?? this.#outputTokens;
        return [];
      case 'message_stop':
        return [
          ...this.#ended.map((call) => this.#callEvent(call)),
          { type: 'usage', inputTokens: this.#inputTokens, outputTokens: this.#outputTokens },
          { type: 'end', reason: this.#stopReason },
        ];
      case 'error':
        return [{ type: 'error', errorType: event.error.type, message: event.error.message }];
    }
  }

  #begin(
    index: number,
    block: { type: string; id?: string | undefined; name?: string | undefined; text?: string | undefined },
  ): readonly AnswerEvent[] {
    this.#lastBlock = index;
    if (block.type === 'text' && block.text) return [{ type: 'text', delta: block.text }];
    if (block.type !== 'tool_use') return [];
    if (block.id === undefined || block.name === undefined)
      throw new UnreadableEvent('a call without a name');
    this.#calls.set(index, { index, id: block.id, name: block.name, json: '' });
    return [{ type: 'tool_call_part' }];
  }

  #add(index: number, { type, text, partial_json: json }: BlockDelta['delta']): readonly AnswerEvent[] {
    if (type === 'text_delta' && typeof text === 'string' && text !== '')
      return [{ type: 'text', delta: text }];
    const call = this.#calls.get(index);
    if (type !== 'input_json_delta' || !call || typeof json !== 'string') return [];
    call.json += json;
    return [{ type: 'tool_call_part' }];
  }

  #finish(index: number): void {
    const call = this.#calls.get(index);
    if (call) this.#ended.push(call);
    this.#calls.delete(index);
  }

  #callEvent({ index, id, name, json }: Call): AnswerEvent {
    const isCutOff = index === this.#lastBlock && CUT_OFF_BY.has(this.#stopReason);
    return {
      type: 'tool_call',
      call: { id, name, arguments: json || (isCutOff ? CUT_OFF_ARGUMENTS : '{}') },
    };
  }
}

function parse(data: string): StreamEvent | BlockDelta | undefined {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch (error) {
    throw new UnreadableEvent('an event that is not JSON', { cause: error });
  }
  const type = typeof json === 'object' && json !== null && 'type' in json ? json.type : undefined;
  if (typeof type !== 'string') throw new UnreadableEvent('an event without a type');
  if (type === 'content_block_delta') {
    if (!isBlockDelta(json)) throw new UnreadableEvent(`an event ${type} of another form`);
    return json;
  }
  if (!KNOWN.has(type)) return undefined;
  const parsed = streamEvent.safeParse(json);
  if (!parsed.success) throw new UnreadableEvent(`an event ${type} of another form`, { cause: parsed.error });
  return parsed.data;
}

function isBlockDelta(json: unknown): json is BlockDelta {
  const { index, delta } = json as {
    readonly index?: unknown;
    readonly delta?: { readonly type?: unknown } | null;
  };
  return typeof index === 'number' && typeof delta === 'object' && typeof delta?.type === 'string';
}
