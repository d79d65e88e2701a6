import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { durableLiveEvent } from '@voice/shared/contracts/durable-live-event';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { listenChannels } from '@voice/shared/contracts/live-streams';
import type { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { type WebSocket, WebSocketServer } from 'ws';

const PATH = /^\/control\/calls\/([0-9a-f-]{36})\/(live|listen)(?:\?(.*))?$/;

export interface ScriptedLiveStreamsOptions {
  readonly verifier: InterPlaneVerifier;
  readonly holds: (callId: string) => boolean;
}

/**
 * The live streams of a scripted worker, as strict as the real ones: signed, for calls that it holds, and what it has
 * not got accepted comes first. What happens is what the test pushes.
 */
export class ScriptedLiveStreams {
  /** Every connection that there was, in order: its path and query. */
  readonly connections: string[] = [];
  readonly #options: ScriptedLiveStreamsOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #live = new Map<string, Set<WebSocket>>();
  readonly #listening = new Map<string, Set<WebSocket>>();
  /** Durable events that the control plane has not accepted. */
  readonly #pending = new Map<string, CallEvent[]>();
  #sampleRate = 8000;

  constructor(options: ScriptedLiveStreamsOptions) {
    this.#options = options;
  }

  followers(callId: string): number {
    return this.#live.get(callId)?.size ?? 0;
  }

  listeners(callId: string): number {
    return this.#listening.get(callId)?.size ?? 0;
  }

  /** Keeps an event for connections to come, as a spool does, and pushes it. */
  pushDurable(event: CallEvent): void {
    this.#pending.set(event.call_id, [...(this.#pending.get(event.call_id) ?? []), event]);
    const live = durableLiveEvent(event);
    if (live) this.push(event.call_id, live);
  }

  /** The control plane has accepted all of the call's events. */
  accepted(callId: string): void {
    this.#pending.delete(callId);
  }

  push(callId: string, event: LiveEvent): void {
    for (const socket of this.#live.get(callId) ?? []) socket.send(JSON.stringify(event));
  }

  audio(callId: string, chunk: Uint8Array): void {
    for (const socket of this.#listening.get(callId) ?? []) socket.send(chunk, { binary: true });
  }

  /** The call is over. */
  end(callId: string): void {
    for (const socket of this.#of(callId)) socket.close(1000, 'the call has ended');
  }

  /** The connections break, as on a lost network. */
  drop(callId: string): void {
    for (const socket of this.#of(callId)) socket.terminate();
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Nobody else has a listener for a client that breaks off now.
    socket.on('error', () => socket.destroy());
    const { url = '', headers } = request;
    const { verifier, holds } = this.#options;
    const [, callId = '', kind, query] = PATH.exec(url) ?? [];
    const received = { method: 'GET', path: url, authorization: headers.authorization };
    const parameters = new URLSearchParams(query);
    const refusal = !verifier.accepts(received, undefined)
      ? '401 Unauthorized'
      : !kind || !holds(callId)
        ? '404 Not Found'
        : kind === 'listen' && !listenChannels.safeParse(parameters.get('channels')).success
          ? '422 Unprocessable Entity'
          : undefined;
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\n\r\n`);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (connection) => {
      this.connections.push(url);
      const all = kind === 'live' ? this.#live : this.#listening;
      const sockets = all.get(callId) ?? new Set();
      all.set(callId, sockets.add(connection));
      connection.on('error', () => {});
      connection.on('close', () => sockets.delete(connection));
      if (kind === 'live') this.#backlog(callId, Number(parameters.get('after_seq') ?? 0), connection);
      else {
        const channels = parameters.get('channels') === 'stereo' ? 2 : 1;
        const format = { type: 'format', encoding: 'l16', sample_rate: this.#sampleRate, channels };
        connection.send(JSON.stringify(format));
      }
    });
  }

  #backlog(callId: string, afterSeq: number, connection: WebSocket): void {
    for (const event of this.#pending.get(callId) ?? []) {
      const live = event.seq > afterSeq ? durableLiveEvent(event) : undefined;
      if (live) connection.send(JSON.stringify(live));
    }
  }

  #of(callId: string): WebSocket[] {
    return [...(this.#live.get(callId) ?? []), ...(this.#listening.get(callId) ?? [])];
  }
}
