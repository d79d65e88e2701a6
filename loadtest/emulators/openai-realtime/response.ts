import type { Clock } from '@voice/shared/clock/clock';
import type { ScriptRule } from '../openai/script.js';
import type { ResponseParams } from './client-events.js';
import { type Conversation, type Entry, messagesOf } from './conversation.js';
import { newId } from './ids.js';
import { type Thought, think } from './model.js';
import type { OpenAiRealtimeCounters, OpenAiRealtimeFaults } from './options.js';
import { CallOutput, MessageOutput, type OutputTarget } from './response-output.js';
import type { SessionConfig } from './session-config.js';
import { type InputTokens, inputTokens, modelAudioTokens, responseUsage, textTokens } from './usage.js';
import type { Voice } from './voice.js';

/** What all sessions of the emulator share. */
export interface ModelSettings {
  readonly script: readonly ScriptRule[] | undefined;
  readonly voice: Voice;
  readonly firstAudioDelayMs: number;
  readonly speed: number;
  readonly chunkMs: number;
  readonly clock: Clock;
  readonly faults: OpenAiRealtimeFaults;
  readonly counters: OpenAiRealtimeCounters;
}

export interface ResponseRunOptions {
  readonly model: ModelSettings;
  readonly config: SessionConfig;
  readonly params: ResponseParams | undefined;
  readonly conversation: Conversation;
  /** What the model reads. */
  readonly entries: readonly Entry[];
  /** What the response before read: it comes from the cache. */
  readonly cached: InputTokens;
  readonly send: (event: Readonly<Record<string, unknown>>) => void;
  readonly tearConnection: () => void;
}

type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'cancelled'; readonly reason: 'client_cancelled' | 'turn_detected' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' }
  | { readonly status: 'failed'; readonly code: OpenAiRealtimeFaults['failCode'] };

type Fault = 'stall' | 'cut' | 'fail';

/** One response, from its creation to `response.done`. */
export class ResponseRun {
  readonly id = newId('resp');
  readonly inBand: boolean;
  /** What it read; known once it runs. */
  input: InputTokens = { text: 0, audio: 0 };
  /** ms of audio that it has given. */
  audioMs = 0;
  readonly #options: ResponseRunOptions;
  readonly #abort = new AbortController();
  readonly #target: OutputTarget;
  readonly #output: unknown[] = [];
  #cancelled: 'client_cancelled' | 'turn_detected' = 'client_cancelled';
  #textTokens = 0;

  constructor(options: ResponseRunOptions) {
    this.#options = options;
    this.inBand = (options.params?.conversation ?? 'auto') === 'auto';
    this.#target = {
      responseId: this.id,
      conversation: this.inBand ? options.conversation : undefined,
      send: options.send,
    };
  }

  cancel(reason: 'client_cancelled' | 'turn_detected'): void {
    this.#cancelled = reason;
    this.#abort.abort();
  }

  /** Resolves when it is over; never rejects. */
  async run(): Promise<void> {
    const { model, send } = this.#options;
    model.counters.responses += 1;
    send({ type: 'response.created', response: this.#response('in_progress', null, null) });
    let outcome: Outcome;
    try {
      outcome = await this.#generate();
    } catch {
      outcome = { status: 'cancelled', reason: this.#cancelled };
    }
    this.#finish(outcome);
  }

  async #generate(): Promise<Outcome> {
    const { config, params, entries, model } = this.#options;
    const instructions = params?.instructions ?? config.instructions;
    const tools = params?.tools ?? config.tools;
    this.input = inputTokens(instructions, tools, entries);
    const thought: Thought = think(
      {
        messages: messagesOf(instructions, entries),
        responseInstructions: params?.instructions,
        tools,
        toolChoice: params?.tool_choice ?? config.tool_choice,
      },
      model.script,
    );
    const fault = this.#takeFault();
    await this.#sleep(model.firstAudioDelayMs);
    const outcome = await this.#say(thought.text, fault);
    if (outcome) return outcome;
    for (const call of thought.calls) {
      this.#abort.signal.throwIfAborted();
      this.#textTokens += textTokens(call.name + call.arguments);
      const output = new CallOutput(this.#target, this.#output.length, call);
      output.run();
      this.#output.push(output.item);
    }
    return { status: 'completed' };
  }

  /** Speaks the text; undefined when all was said. */
  async #say(text: string, fault: Fault | undefined): Promise<Outcome | undefined> {
    const { config, params, model } = this.#options;
    const [modality] = params?.output_modalities ?? config.output_modalities;
    if (text === '' && fault === undefined) return undefined;
    const format = params?.audio?.output?.format ?? config.audio.output.format;
    const chunks = await model.voice.speak(text, format, model.chunkMs, this.#abort.signal);
    const output = new MessageOutput(this.#target, this.#output.length, modality);
    this.#output.push(output.item);
    const limit = params?.max_output_tokens ?? config.max_output_tokens;
    try {
      for (const chunk of chunks) {
        this.#abort.signal.throwIfAborted();
        if (fault && this.audioMs >= model.faults.afterAudioMs) return await this.#misbehave(fault, output);
        if (limit !== 'inf' && this.#outputTokens() >= limit) {
          output.end('incomplete');
          return { status: 'incomplete', reason: 'max_output_tokens' };
        }
        output.add(chunk);
        this.#textTokens += textTokens(chunk.text);
        if (modality === 'audio') this.audioMs += chunk.ms;
        if (Number.isFinite(model.speed)) await this.#sleep(chunk.ms / model.speed);
      }
      if (fault) return await this.#misbehave(fault, output);
    } catch (error) {
      output.end('incomplete');
      throw error;
    }
    output.end('completed');
    return undefined;
  }

  async #misbehave(fault: Fault, output: MessageOutput): Promise<Outcome> {
    switch (fault) {
      case 'stall':
        return new Promise((_, reject) => {
          this.#abort.signal.addEventListener('abort', () => reject(this.#abort.signal.reason));
        });
      case 'cut':
        this.#options.tearConnection();
        return { status: 'cancelled', reason: this.#cancelled };
      case 'fail':
        output.end('incomplete');
        return { status: 'failed', code: this.#options.model.faults.failCode };
    }
  }

  #takeFault(): Fault | undefined {
    const { faults } = this.#options.model;
    for (const [name, fault] of [
      ['stallNext', 'stall'],
      ['cutNext', 'cut'],
      ['failNext', 'fail'],
    ] as const) {
      if (faults[name] > 0) {
        faults[name] -= 1;
        return fault;
      }
    }
    return undefined;
  }

  #outputTokens(): number {
    return this.#textTokens + modelAudioTokens(this.audioMs);
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await this.#options.model.clock.sleep(ms, this.#abort.signal);
    this.#abort.signal.throwIfAborted();
  }

  #finish(outcome: Outcome): void {
    const { model, send, cached, params } = this.#options;
    if (outcome.status === 'completed') model.counters.completed += 1;
    if (outcome.status === 'cancelled') model.counters.cancelled += 1;
    const output = { text: this.#textTokens, audio: modelAudioTokens(this.audioMs) };
    // A context of its own shares nothing with what was read before.
    const usage = responseUsage(this.input, params?.input ? { text: 0, audio: 0 } : cached, output);
    send({ type: 'response.done', response: this.#response(outcome.status, statusDetails(outcome), usage) });
    send({
      type: 'rate_limits.updated',
      rate_limits: [{ name: 'tokens', limit: 250_000, remaining: 249_000, reset_seconds: 0.2 }],
    });
  }

  #response(status: string, details: unknown, usage: unknown): Readonly<Record<string, unknown>> {
    const { config, params, conversation } = this.#options;
    return {
      object: 'realtime.response',
      id: this.id,
      status,
      status_details: details,
      output: [...this.#output],
      conversation_id: this.inBand ? conversation.id : null,
      output_modalities: params?.output_modalities ?? config.output_modalities,
      max_output_tokens: params?.max_output_tokens ?? config.max_output_tokens,
      audio: {
        output: {
          format: params?.audio?.output?.format ?? config.audio.output.format,
          voice: params?.audio?.output?.voice ?? config.audio.output.voice,
        },
      },
      usage,
      metadata: params?.metadata ?? null,
    };
  }
}

function statusDetails(outcome: Outcome): Readonly<Record<string, unknown>> | null {
  switch (outcome.status) {
    case 'completed':
      return null;
    case 'cancelled':
    case 'incomplete':
      return { type: outcome.status, reason: outcome.reason };
    case 'failed': {
      const type = outcome.code === 'server_error' ? 'server_error' : 'invalid_request_error';
      return { type: 'failed', error: { type, code: outcome.code, message: 'failed on purpose' } };
    }
  }
}
