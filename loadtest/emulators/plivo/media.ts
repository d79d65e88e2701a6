import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { WebSocket } from 'ws';
import type { Conversation } from '../telnyx/phone.js';
import { FRAME_MS, PlayOut } from '../telnyx/play-out.js';

const SUBPROTOCOL = 'audio.plivo.com';

export interface PlivoStreamTerms {
  readonly url: string;
  readonly callId: string;
  readonly accountId: string;
  /** As the XML has it: `name=value`, by comma. */
  readonly extraHeaders: string;
}

/** Plivo's side of one audio stream, in real time: 20 ms of mu-law at 8,000 Hz each way. */
export class PlivoStream {
  readonly id = randomUUID();
  readonly played: Buffer[] = [];
  readonly checkpoints: string[] = [];
  clears = 0;
  /** Messages that Plivo would not understand. */
  readonly errors: string[] = [];
  /** Whether it ever was open. */
  readonly closed: Promise<boolean>;
  readonly #socket: WebSocket;
  readonly #playOut = new PlayOut();
  #timer: Timer | undefined;
  #nextAt = 0;
  #sequence = 0;
  #chunk = 0;

  constructor(
    private readonly terms: PlivoStreamTerms,
    private readonly clock: Clock,
    private readonly person: Conversation | undefined,
    private readonly onHangUp: () => void,
  ) {
    this.#socket = new WebSocket(terms.url, SUBPROTOCOL, { perMessageDeflate: false });
    let opened = false;
    this.#socket.on('error', (error) => this.errors.push(error.message));
    this.#socket.on('open', () => {
      opened = true;
      this.#open();
    });
    this.#socket.on('message', (data, isBinary) => this.#receive(isBinary ? '' : String(data)));
    this.closed = new Promise((resolve) =>
      this.#socket.once('close', () => {
        this.#timer?.cancel();
        resolve(opened);
      }),
    );
  }

  /** The caller presses a key. */
  press(digit: string): void {
    const dtmf = { track: 'inbound', digit, timestamp: String(this.clock.now()) };
    this.#send({ event: 'dtmf', streamId: this.id, dtmf });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#socket.close();
  }

  #open(): void {
    const { callId, accountId } = this.terms;
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000 };
    this.#send({
      event: 'start',
      start: { callId, streamId: this.id, accountId, tracks: ['inbound'], mediaFormat },
    });
    this.#nextAt = this.clock.monotonic() + FRAME_MS;
    this.#schedule();
  }

  /** Every 20 ms on absolute deadlines, so that no delay adds up. */
  #schedule(): void {
    this.#timer = this.clock.schedule(Math.max(0, this.#nextAt - this.clock.monotonic()), () => {
      while (this.#nextAt <= this.clock.monotonic() && this.#socket.readyState === WebSocket.OPEN) {
        this.#nextAt += FRAME_MS;
        this.#tick();
      }
      if (this.#socket.readyState === WebSocket.OPEN) this.#schedule();
    });
  }

  #tick(): void {
    const { frame: heard, marks } = this.#playOut.play();
    for (const name of marks) this.#send({ event: 'playedStream', streamId: this.id, name });
    if (!this.person) return;
    const { frame, hangsUp } = this.person.step(heard);
    this.#send({
      event: 'media',
      streamId: this.id,
      media: {
        track: 'inbound',
        timestamp: String(this.clock.now()),
        chunk: ++this.#chunk,
        payload: Buffer.from(frame).toString('base64'),
      },
    });
    if (hangsUp) this.onHangUp();
  }

  #receive(text: string): void {
    let message: Readonly<Record<string, unknown>>;
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      this.errors.push('not JSON');
      return;
    }
    switch (message.event) {
      case 'playAudio':
        this.#take(message.media as Readonly<Record<string, unknown>> | undefined);
        return;
      case 'checkpoint':
        if (!this.#isOurs(message) || typeof message.name !== 'string') return;
        this.checkpoints.push(message.name);
        this.#playOut.mark(message.name);
        return;
      case 'clearAudio':
        if (!this.#isOurs(message)) return;
        this.clears++;
        // A checkpoint whose audio was not played never comes back.
        this.#playOut.clear();
        this.#send({ event: 'clearedAudio', streamId: this.id });
        return;
      default:
        this.errors.push(`unknown event ${String(message.event)}`);
    }
  }

  #isOurs({ event, streamId }: Readonly<Record<string, unknown>>): boolean {
    if (streamId === this.id) return true;
    this.errors.push(`${String(event)} of another stream`);
    return false;
  }

  #take(media: Readonly<Record<string, unknown>> | undefined): void {
    const { contentType, sampleRate, payload } = media ?? {};
    if (contentType !== 'audio/x-mulaw' || sampleRate !== 8000 || typeof payload !== 'string') {
      this.errors.push('playAudio is not as the stream was asked for');
      return;
    }
    const audio = Buffer.from(payload, 'base64');
    this.played.push(audio);
    this.#playOut.audio(audio);
  }

  #send(message: object): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const extra_headers = this.terms.extraHeaders.replaceAll(',', ';');
    this.#socket.send(JSON.stringify({ ...message, sequenceNumber: ++this.#sequence, extra_headers }));
  }
}
