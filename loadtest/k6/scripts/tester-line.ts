import encoding from 'k6/encoding';
import { type BinaryType, WebSocket } from 'k6/websockets';
import type { AgentListener, CallerLine } from './line.ts';

/** Frames are said again and again: each is decoded once. */
const decoded = new Map<string, ArrayBuffer>();

/** The client's end of a WebSocket test session in mu-law. */
export class TesterLine implements CallerLine {
  readonly #socket: WebSocket;
  #playedUntil = 0;
  #marks: { readonly name: string; readonly due: number }[] = [];

  constructor(url: string, listener: AgentListener & { onOpen(): void }) {
    this.#socket = new WebSocket(url);
    // The types have an enumeration, which k6 itself lacks.
    this.#socket.binaryType = 'arraybuffer' as BinaryType;
    this.#socket.onopen = () => listener.onOpen();
    this.#socket.onmessage = (message) => {
      const data = message?.data;
      const at = Date.now();
      if (typeof data === 'string') this.#receive(data, at, listener);
      else {
        this.#playedUntil = Math.max(this.#playedUntil, at) + (data as ArrayBuffer).byteLength / 8;
        listener.onAudio(at);
      }
    };
    this.#socket.onclose = () => listener.onClosed();
    // An error is followed by the close.
    this.#socket.onerror = () => {};
  }

  get playedUntil(): number {
    return this.#playedUntil;
  }

  sendFrame(payload: string, now: number): void {
    if (this.#socket.readyState !== 1) return;
    let bytes = decoded.get(payload);
    if (!bytes) {
      bytes = encoding.b64decode(payload);
      decoded.set(payload, bytes);
    }
    this.#socket.send(bytes);
    while (this.#marks[0] && this.#marks[0].due <= now) this.#returnMark(this.#marks.shift()!.name);
  }

  hangUp(): void {
    if (this.#socket.readyState !== 1) return;
    this.#socket.send(JSON.stringify({ type: 'stop' }));
    this.#socket.close();
  }

  #receive(text: string, at: number, listener: AgentListener): void {
    const message = JSON.parse(text) as { readonly type: string; readonly name?: string };
    if (message.type === 'mark') this.#marks.push({ name: message.name!, due: this.#playedUntil });
    if (message.type !== 'clear') return;
    this.#playedUntil = at;
    for (const { name } of this.#marks.splice(0)) this.#returnMark(name);
    listener.onClear(at);
  }

  #returnMark(name: string): void {
    this.#socket.send(JSON.stringify({ type: 'mark', name }));
  }
}
