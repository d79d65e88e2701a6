import { WebSocket } from 'k6/websockets';
import type { AgentListener, CallerLine } from './line.ts';

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

interface Mark {
  readonly name: string;
  readonly due: number;
}

/** The carrier's end of a Twilio media stream: plays what it gets in real time, and returns the marks. */
export class TwilioLine implements CallerLine {
  readonly #socket: WebSocket;
  readonly #streamSid: string;
  #sequence = 1;
  #chunk = 0;
  #playedUntil = 0;
  #marks: Mark[] = [];

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
    return this.#playedUntil;
  }

  /** Written by hand: this is said fifty times a second for each call. */
  sendFrame(payload: string, now: number): void {
    if (this.#socket.readyState !== 1) return;
    const timestamp = this.#chunk++ * 20;
    this.#socket.send(
      `{"event":"media","sequenceNumber":"${this.#sequence++}","streamSid":"${this.#streamSid}",` +
        `"media":{"track":"inbound","chunk":"${this.#chunk}","timestamp":"${timestamp}","payload":"${payload}"}}`,
    );
    while (this.#marks[0] && this.#marks[0].due <= now) this.#returnMark(this.#marks.shift()!);
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
      this.#playedUntil = Math.max(this.#playedUntil, at) + (media!.payload.length * 3) / 4 / 8;
      listener.onAudio(at);
    } else if (event === 'mark') {
      this.#marks.push({ name: mark!.name, due: this.#playedUntil });
    } else if (event === 'clear') {
      this.#playedUntil = at;
      for (const waiting of this.#marks.splice(0)) this.#returnMark(waiting);
      listener.onClear(at);
    }
  }

  #returnMark({ name }: Mark): void {
    this.#send({ event: 'mark', mark: { name } });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    const sequenceNumber = String(this.#sequence++);
    this.#socket.send(JSON.stringify({ ...message, sequenceNumber, streamSid: this.#streamSid }));
  }
}
