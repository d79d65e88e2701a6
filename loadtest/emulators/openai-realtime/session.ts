import type { Timer } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import type { Recognition } from './caller-audio.js';
import { type ClientEvent, parseClientEvent, type Refusal } from './client-events.js';
import { Conversation, type Entry } from './conversation.js';
import { newId } from './ids.js';
import { type BufferedTurn, InputBuffer, MIN_COMMIT_MS } from './input-buffer.js';
import { ItemCommands } from './item-commands.js';
import type { ModelSettings } from './response.js';
import { Responses } from './responses.js';
import { DEFAULT_CONFIG, type SessionConfig, updated } from './session-config.js';
import { sendTranscription } from './transcription.js';

export interface SessionOptions {
  readonly socket: WebSocket;
  readonly modelName: string;
  readonly model: ModelSettings;
  readonly recognition: Recognition;
  readonly limitMs: number;
  readonly transcriptionDelayMs: number;
}

type EventOf<T extends ClientEvent['type']> = Extract<ClientEvent, { type: T }>;

/** Serves one client from `session.created` until either side ends it. */
export class RealtimeEmulatedSession {
  readonly conversation = new Conversation();
  readonly #options: SessionOptions;
  readonly #id = newId('sess');
  readonly #expiresAt: number;
  readonly #buffer: InputBuffer;
  readonly #items: ItemCommands;
  readonly #responses: Responses;
  readonly #timers = new Set<Timer>();
  #config: SessionConfig = DEFAULT_CONFIG;
  #spoke = false;
  #idle: Timer | undefined;
  #ended = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#expiresAt = Math.floor((options.model.clock.now() + options.limitMs) / 1000);
    this.#buffer = new InputBuffer(options.recognition, this.#config.audio.input, {
      onSpeechStarted: (startMs, itemId) => this.#speechStarted(startMs, itemId),
      onSpeechStopped: (endMs, itemId) => this.#speechStopped(endMs, itemId),
    });
    const { conversation } = this;
    const send = (event: Readonly<Record<string, unknown>>) => this.#send(event);
    this.#items = new ItemCommands({
      conversation,
      recognition: options.recognition,
      inputFormat: () => this.#config.audio.input.format,
      send,
    });
    this.#responses = new Responses({
      model: options.model,
      conversation,
      config: () => this.#config,
      send,
      tearConnection: () => options.socket.terminate(),
      onDone: (audioMs) => this.#responseDone(audioMs),
    });
    this.#send({ type: 'session.created', session: this.#shown() });
    this.#after(options.limitMs, () => this.expire());
  }

  receive(text: string): void {
    if (this.#ended) return;
    const parsed = parseClientEvent(text);
    if ('refusal' in parsed) {
      this.#refuse(parsed.refusal, parsed.eventId);
      return;
    }
    const refusal = this.#handle(parsed.event);
    if (refusal) this.#refuse(refusal, parsed.event.event_id ?? null);
  }

  /** Ends the session as when its time is up. */
  expire(): void {
    const minutes = Math.round(this.#options.limitMs / 60_000);
    const message = `Your session hit the maximum duration of ${minutes} minutes.`;
    this.#error({ code: 'session_expired', message, param: null }, null);
    this.#options.socket.close(1001, message);
  }

  /** Ends the session when its connection is gone. */
  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) timer.cancel();
    this.#idle?.cancel();
    this.#responses.cancelAll();
  }

  #handle(event: ClientEvent): Refusal | undefined {
    switch (event.type) {
      case 'session.update':
        return this.#update(event);
      case 'input_audio_buffer.append':
        return this.#append(event);
      case 'input_audio_buffer.commit':
        return this.#commit();
      case 'input_audio_buffer.clear':
        this.#buffer.clear();
        this.#send({ type: 'input_audio_buffer.cleared' });
        return undefined;
      case 'output_audio_buffer.clear': {
        const message = "'output_audio_buffer.clear' is only supported over WebRTC and SIP.";
        return { code: 'invalid_value', message, param: 'type' };
      }
      case 'conversation.item.create':
        return this.#items.create(event);
      case 'conversation.item.retrieve':
        return this.#items.retrieve(event);
      case 'conversation.item.delete':
        return this.#items.delete(event);
      case 'conversation.item.truncate':
        return this.#items.truncate(event);
      case 'response.create':
        this.#idle?.cancel();
        return this.#responses.create(event.response);
      case 'response.cancel':
        return this.#responses.cancel(event.response_id);
    }
  }

  #update({ session }: EventOf<'session.update'>): Refusal | undefined {
    if (session.model !== undefined && session.model !== this.#options.modelName) {
      const message = 'The model of a session cannot be changed.';
      return { code: 'invalid_value', message, param: 'session.model' };
    }
    const voice = session.audio?.output?.voice;
    const changesVoice =
      voice !== undefined && JSON.stringify(voice) !== JSON.stringify(this.#config.audio.output.voice);
    if (this.#spoke && changesVoice) {
      const message = "Cannot update a conversation's voice if assistant audio is present.";
      return { code: 'cannot_update_voice', message, param: 'session.audio.output.voice' };
    }
    this.#config = updated(this.#config, session);
    this.#buffer.configure(this.#config.audio.input);
    this.#send({ type: 'session.updated', session: this.#shown() });
    return undefined;
  }

  #append({ audio }: EventOf<'input_audio_buffer.append'>): Refusal | undefined {
    const { counters } = this.#options.model;
    const taken = this.#buffer.append(audio);
    if (typeof taken === 'string') return { code: 'invalid_value', message: taken, param: 'audio' };
    counters.appends += 1;
    counters.audioMs += taken;
    return undefined;
  }

  #commit(): Refusal | undefined {
    const { bufferedMs } = this.#buffer;
    if (bufferedMs < MIN_COMMIT_MS) {
      const message =
        'Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, ' +
        `but buffer only has ${bufferedMs.toFixed(2)}ms of audio.`;
      return { code: 'input_audio_buffer_commit_empty', message, param: null };
    }
    this.#addTurn(this.#buffer.take());
    return undefined;
  }

  #addTurn(turn: BufferedTurn): void {
    const content = [{ type: 'input_audio' as const, transcript: null as string | null }];
    const entry: Entry = {
      item: {
        id: turn.itemId,
        object: 'realtime.item',
        type: 'message',
        role: 'user',
        status: 'completed',
        content,
      },
      understood: turn.text,
      audioMs: turn.audioMs,
    };
    this.conversation.insert(entry);
    const previous = this.conversation.previousOf(entry);
    this.#send({ type: 'input_audio_buffer.committed', previous_item_id: previous, item_id: turn.itemId });
    this.#items.announce(entry);
    const { transcription } = this.#config.audio.input;
    if (!transcription) return;
    const { faults } = this.#options.model;
    const fails = faults.failTranscriptionNext > 0;
    if (fails) faults.failTranscriptionNext -= 1;
    this.#after(this.#options.transcriptionDelayMs, () => {
      sendTranscription({ turn, model: transcription.model, fails, send: (event) => this.#send(event) });
      if (!fails) content[0]!.transcript = turn.text;
    });
  }

  #responseDone(audioMs: number): void {
    if (audioMs > 0) this.#spoke = true;
    const detection = this.#config.audio.input.turn_detection;
    if (this.#ended || detection?.type !== 'server_vad' || detection.idle_timeout_ms === null) return;
    const startMs = this.#buffer.endMs + audioMs;
    this.#idle?.cancel();
    this.#idle = this.#options.model.clock.schedule(audioMs + detection.idle_timeout_ms, () => {
      if (!this.#buffer.speaking && !this.#responses.active) this.#idleTimeout(startMs);
    });
  }

  #idleTimeout(startMs: number): void {
    const turn = this.#buffer.take();
    this.#send({
      type: 'input_audio_buffer.timeout_triggered',
      audio_start_ms: Math.round(Math.min(startMs, this.#buffer.endMs)),
      audio_end_ms: Math.round(this.#buffer.endMs),
      item_id: turn.itemId,
    });
    this.#addTurn(turn);
    this.#responses.create(undefined);
  }

  #speechStarted(startMs: number, itemId: string): void {
    this.#idle?.cancel();
    const audio_start_ms = Math.round(startMs);
    this.#send({ type: 'input_audio_buffer.speech_started', audio_start_ms, item_id: itemId });
    if (this.#config.audio.input.turn_detection?.interrupt_response) {
      this.#responses.active?.cancel('turn_detected');
    }
  }

  #speechStopped(endMs: number, itemId: string): void {
    const audio_end_ms = Math.round(endMs);
    this.#send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms, item_id: itemId });
    this.#addTurn(this.#buffer.take());
    const { create_response: creates } = this.#config.audio.input.turn_detection ?? {};
    if (creates && !this.#responses.active) this.#responses.create(undefined);
  }

  #shown(): Readonly<Record<string, unknown>> {
    return {
      object: 'realtime.session',
      type: 'realtime',
      id: this.#id,
      model: this.#options.modelName,
      expires_at: this.#expiresAt,
      ...this.#config,
    };
  }

  #after(ms: number, task: () => void): void {
    const timer = this.#options.model.clock.schedule(ms, () => {
      this.#timers.delete(timer);
      if (!this.#ended) task();
    });
    this.#timers.add(timer);
  }

  #refuse(refusal: Refusal, eventId: string | null): void {
    const { counters } = this.#options.model;
    counters.errors += 1;
    if (refusal.code === 'response_cancel_not_active') counters.lateCancels += 1;
    this.#error(refusal, eventId);
  }

  #error({ code, message, param }: Refusal, eventId: string | null): void {
    const error = { type: 'invalid_request_error', code, message, param, event_id: eventId };
    this.#send({ type: 'error', error });
  }

  #send(event: Readonly<Record<string, unknown>>): void {
    const { socket } = this.#options;
    if (this.#ended || socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify({ ...event, event_id: newId('event') }));
  }
}
