import { WebSocket } from 'k6/websockets';
import type { AgentListener, CallerLine } from './line.ts';
import { Playback } from './playback.ts';

export interface StreamStart {
  readonly url: string;
  readonly callSid: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Message {
  readonly event: string;
  readonly media?: { readonly payload: string };
  readonly mark?: { readonly name: string };
}

/** Mu-law at 8 kHz. */
const BYTES_PER_MS = 8;

/** The carrier's end of a Twilio media stream: plays what it gets in real time, and returns the marks. */
export class TwilioLine implements CallerLine {
  readonly #socket: WebSocket;
  readonly #streamSid: string;
  #sequence = 1;
  #chunk = 0;
  readonly #playback = new Playback();

  constructor(start: StreamStart, accountSid: string, listener: AgentListener & { onOpen(): void }) {
    this.#streamSid = start.callSid.replace(/^CA/, 'MZ');
    this.#socket = new WebSocket(start.url);
    this.#socket.onopen = () => {
      this.#socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
      this.#send({
        event: 'start',
        start: {
          streamSid: this.#streamSid,
          accountSid,
          callSid: start.callSid,
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          customParameters: start.parameters,
        },
      });
      listener.onOpen();
    };
    this.#socket.onmessage = (message) => this.#receive(String(message?.data), listener);
    this.#socket.onclose = () => listener.onClosed();
    // An error is followed by the close.
    this.#socket.onerror = () => {};
  }

  get playedUntil(): number {
    return this.#playback.until;
  }

  /** Written by hand: this is said fifty times a second for each call. */
  sendFrame(payload: string, now: number): void {
    if (this.#socket.readyState !== 1) return;
    const timestamp = this.#chunk++ * 20;
    this.#socket.send(
      `{"event":"media","sequenceNumber":"${this.#sequence++}","streamSid":"${this.#streamSid}",` +
        `"media":{"track":"inbound","chunk":"${this.#chunk}","timestamp":"${timestamp}","payload":"${payload}"}}`,
    );
    for (let name = this.#playback.takeDue(now); name !== undefined; name = this.#playback.takeDue(now))
      this.#returnMark(name);
  }

  hangUp(): void {
    if (this.#socket.readyState !== 1) return;
    this.#send({ event: 'stop', stop: { accountSid: 'AC0', callSid: 'CA0' } });
    this.#socket.close();
  }

  #receive(text: string, listener: AgentListener): void {
    const at = Date.now();
    const { event, media, mark } = JSON.parse(text) as Message;
    if (event === 'media') {
      listener.onAudio(at, this.#playback.add(at, bytesIn(media!.payload) / BYTES_PER_MS));
    } else if (event === 'mark') {
      this.#playback.mark(mark!.name);
    } else if (event === 'clear') {
      for (const name of this.#playback.clear(at)) this.#returnMark(name);
      listener.onClear(at);
    }
  }

  #returnMark(name: string): void {
    this.#send({ event: 'mark', mark: { name } });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    const sequenceNumber = String(this.#sequence++);
    this.#socket.send(JSON.stringify({ ...message, sequenceNumber, streamSid: this.#streamSid }));
  }
}

/** How many bytes a base64 text stands for. */
function bytesIn(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length * 3) / 4 - padding;
}
