import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

/** 20 ms to 30 s of mu-law at 8,000 Hz, in bytes: what one message to Telnyx may carry. */
const SHORTEST_BYTES = 160;
const LONGEST_BYTES = 240_000;

export interface StreamTerms {
  readonly url: string;
  /** Without `rtp` what we are sent is dropped, as Telnyx does. */
  readonly bidirectional: boolean;
  readonly callControlId: string;
  readonly from: string;
  readonly to: string;
  readonly clientState: string | undefined;
}

/** Telnyx's side of one media stream: what it says is up to the test, in any order. */
export class MediaStream {
  readonly id = randomUUID();
  /** Audio that was sent to the caller. */
  readonly played: Buffer[] = [];
  readonly marks: string[] = [];
  clears = 0;
  /** Messages that Telnyx answers with an error. */
  readonly errors: string[] = [];
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  #sequence = 0;

  constructor(private readonly terms: StreamTerms) {
    this.#socket = new WebSocket(terms.url, { perMessageDeflate: false });
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    this.#socket.on('error', () => {});
    this.#socket.on('open', () => this.#open());
    this.#socket.on('message', (data) => this.#receive(String(data)));
  }

  /** Sends one frame of the caller under its chunk number. */
  say(chunk: number, audio: Uint8Array): void {
    this.#send({
      event: 'media',
      media: {
        track: 'inbound',
        chunk: String(chunk),
        timestamp: String(chunk * 20),
        payload: Buffer.from(audio).toString('base64'),
      },
    });
  }

  stop(): void {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#send({ event: 'stop', stop: { call_control_id: this.terms.callControlId } });
    }
    this.#socket.close();
  }

  #open(): void {
    this.#socket.send(JSON.stringify({ event: 'connected', version: '1.0.0' }));
    const { callControlId, from, to, clientState } = this.terms;
    this.#send({
      event: 'start',
      start: {
        user_id: randomUUID(),
        call_control_id: callControlId,
        call_session_id: randomUUID(),
        from,
        to,
        client_state: clientState,
        media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
      },
    });
  }

  #receive(text: string): void {
    let message: { event?: unknown; media?: { payload?: unknown }; mark?: { name?: unknown } };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      this.#refuse('malformed_frame');
      return;
    }
    if (message.event === 'clear') this.clears++;
    else if (message.event === 'mark' && typeof message.mark?.name === 'string') {
      this.marks.push(message.mark.name);
      this.#send({ event: 'mark', mark: { name: message.mark.name } });
    } else if (message.event === 'media' && typeof message.media?.payload === 'string') {
      const audio = Buffer.from(message.media.payload, 'base64');
      if (audio.length < SHORTEST_BYTES || audio.length > LONGEST_BYTES) this.#refuse('invalid_media');
      else if (this.terms.bidirectional) this.played.push(audio);
    } else this.#refuse('unknown_event');
  }

  #refuse(title: string): void {
    this.errors.push(title);
    this.#send({ event: 'error', payload: { code: 100003, title, detail: title } });
  }

  #send(message: object): void {
    this.#socket.send(
      JSON.stringify({ ...message, stream_id: this.id, sequence_number: String(++this.#sequence) }),
    );
  }
}
