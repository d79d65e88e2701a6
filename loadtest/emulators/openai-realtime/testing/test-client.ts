import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { expect, vi } from 'vitest';
import type { OpenAiRealtimeEmulator } from '../emulator.js';

type EventOf<T extends RealtimeServerEvent['type']> = Extract<RealtimeServerEvent, { type: T }>;

export const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

/** The vendor's own client: what it sends and understands is the protocol. */
export class SdkClient {
  readonly events: RealtimeServerEvent[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** What the client itself complained of, such as a refused handshake. */
  readonly failures: string[] = [];
  readonly #realtime: OpenAIRealtimeWS;

  constructor(
    emulator: OpenAiRealtimeEmulator,
    options: { model?: string; apiKey?: string; headers?: Record<string, string> } = {},
  ) {
    const baseURL = emulator.baseUrl.replace(/^http/, 'https');
    const client = new OpenAI({ apiKey: options.apiKey ?? 'good', baseURL });
    this.#realtime = new OpenAIRealtimeWS(
      {
        model: options.model ?? 'gpt-realtime',
        options: {
          headers: options.headers,
          // The SDK insists on wss; the emulator has no certificate, so the bytes go out as they are.
          createConnection: () => connect(emulator.port, '127.0.0.1'),
        },
      },
      client,
    );
    this.#realtime.on('event', (event) => this.events.push(event));
    this.#realtime.on('error', (error) => this.failures.push(error.message));
    this.#realtime.socket.on('close', (code: number, reason: Buffer) => {
      this.closed = { code, reason: reason.toString('utf8') };
    });
  }

  async opened(): Promise<this> {
    await until(() => expect(this.of('session.created')).toHaveLength(1));
    return this;
  }

  send(event: RealtimeClientEvent): void {
    this.#realtime.send(event);
  }

  /** Sends what the SDK's types do not allow. */
  sendRaw(event: unknown): void {
    this.#realtime.socket.send(typeof event === 'string' ? event : JSON.stringify(event));
  }

  append(frames: readonly Uint8Array[]): void {
    const audio = Buffer.concat(frames).toString('base64');
    this.send({ type: 'input_audio_buffer.append', audio });
  }

  of<T extends RealtimeServerEvent['type']>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** Waits for the next `error` event. */
  async refusal(event: unknown) {
    const before = this.of('error').length;
    this.sendRaw(event);
    await until(() => expect(this.of('error').length).toBe(before + 1));
    return this.of('error').at(-1)!.error;
  }

  async done(count = 1) {
    await until(() => expect(this.of('response.done')).toHaveLength(count));
    return this.of('response.done').at(-1)!.response;
  }

  close(): void {
    this.#realtime.close();
  }
}
