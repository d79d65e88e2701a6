import encoding from 'k6/encoding';
import { type BinaryType, WebSocket } from 'k6/websockets';
import type { AgentListener, CallerLine } from './line.ts';
import { Playback } from './playback.ts';

/** Frames are said again and again: each is decoded once. */
const decoded = new Map<string, ArrayBuffer>();

/** The client's end of a WebSocket test session in mu-law. */
export class TesterLine implements CallerLine {
  readonly #socket: WebSocket;
  readonly #playback = new Playback();

  constructor(url: string, listener: AgentListener & { onOpen(): void }) {
    this.#socket = new WebSocket(url);
    // The types have an enumeration, which k6 itself lacks.
    this.#socket.binaryType = 'arraybuffer' as BinaryType;
    this.#socket.onopen = () => listener.onOpen();
    this.#socket.onmessage = (message) => {
      const data = message?.data;
      const at = Date.now();
      if (typeof data === 'string') this.#receive(data, at, listener);
      else listener.onAudio(at, this.#playback.add(at, (data as ArrayBuffer).byteLength / 8));
    };
    this.#socket.onclose = () => listener.onClosed();
    // An error is followed by the close.
    this.#socket.onerror = () => {};
  }

  get playedUntil(): number {
    return this.#playback.until;
  }

  sendFrame(payload: string, now: number): void {
    if (this.#socket.readyState !== 1) return;
    let bytes = decoded.get(payload);
    if (!bytes) {
      bytes = encoding.b64decode(payload);
      decoded.set(payload, bytes);
    }
    this.#socket.send(bytes);
    for (let name = this.#playback.takeDue(now); name !== undefined; name = this.#playback.takeDue(now))
      this.#returnMark(name);
  }

  hangUp(): void {
    if (this.#socket.readyState !== 1) return;
    this.#socket.send(JSON.stringify({ type: 'stop' }));
    this.#socket.close();
  }

  #receive(text: string, at: number, listener: AgentListener): void {
    const message = JSON.parse(text) as { readonly type: string; readonly name?: string };
    if (message.type === 'mark') this.#playback.mark(message.name!);
    if (message.type !== 'clear') return;
    for (const name of this.#playback.clear(at)) this.#returnMark(name);
    listener.onClear(at);
  }

  #returnMark(name: string): void {
    this.#socket.send(JSON.stringify({ type: 'mark', name }));
  }
}
