import { randomUUID } from 'node:crypto';
import { type Clock, systemClock, type Timer } from '@voice/shared/clock/clock';
import { WebSocket } from 'ws';
import type { Conversation } from './phone.js';
import { FRAME_MS, PlayOut } from './play-out.js';

/** 20 ms to 30 s of mu-law at 8,000 Hz, in bytes: what one message to Telnyx may carry. */
const SHORTEST_BYTES = 160;
const LONGEST_BYTES = 240_000;
/** Every so many frames, two arrive in the wrong order: Telnyx does not promise it. */
const SWAP_EVERY = 25;

export interface StreamTerms {
  readonly url: string;
  /** Without `rtp` what we are sent is dropped, as Telnyx does. */
  readonly bidirectional: boolean;
  readonly callControlId: string;
  readonly from: string;
  readonly to: string;
  readonly clientState: string | undefined;
}

export interface StreamEvents {
  readonly onOpen?: () => void;
  /** Closed by either side; `opened` says whether it ever was open. */
  readonly onClosed?: (opened: boolean) => void;
  readonly onBeep?: () => void;
  readonly onHangUp?: () => void;
}

/** Telnyx's side of one media stream. Plays in real time; what is said is the person's, or the test's (`say`). */
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
  readonly #playOut = new PlayOut();
  readonly #clock: Clock;
  #person: Conversation | undefined;
  #timer: Timer | undefined;
  #nextAt = 0;
  #sequence = 0;
  #chunk = 0;
  /** The frame that its successor overtakes. */
  #held: { readonly chunk: number; readonly frame: Uint8Array } | undefined;

  constructor(
    private readonly terms: StreamTerms,
    private readonly events: StreamEvents = {},
    person?: Conversation,
    clock: Clock = systemClock,
  ) {
    this.#person = person;
    this.#clock = clock;
    this.#socket = new WebSocket(terms.url, { perMessageDeflate: false });
    let opened = false;
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    this.#socket.on('error', () => {});
    this.#socket.on('open', () => {
      opened = true;
      this.#open();
    });
    this.#socket.on('message', (data) => this.#receive(String(data)));
    this.#socket.once('close', () => {
      this.#timer?.cancel();
      this.events.onClosed?.(opened);
    });
  }

  /** Sends one frame of the caller under its chunk number. */
  say(chunk: number, audio: Uint8Array): void {
    this.#send({
      event: 'media',
      media: {
        track: 'inbound',
        chunk: String(chunk),
        timestamp: String(chunk * FRAME_MS),
        payload: Buffer.from(audio).toString('base64'),
      },
    });
  }

  /** From now on the person is occupied with somebody else; the stream goes on in silence. */
  lose(): void {
    this.#person = undefined;
  }

  stop(): void {
    this.#timer?.cancel();
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
    this.events.onOpen?.();
    this.#nextAt = this.#clock.monotonic() + FRAME_MS;
    this.#schedule();
  }

  /** Every 20 ms on absolute deadlines, so that no delay adds up. */
  #schedule(): void {
    this.#timer = this.#clock.schedule(Math.max(0, this.#nextAt - this.#clock.monotonic()), () => {
      while (this.#nextAt <= this.#clock.monotonic() && this.#socket.readyState === WebSocket.OPEN) {
        this.#nextAt += FRAME_MS;
        this.#tick();
      }
      if (this.#socket.readyState === WebSocket.OPEN) this.#schedule();
    });
  }

  #tick(): void {
    const { frame: heard, marks } = this.#playOut.play();
    for (const name of marks) this.#returnMark(name);
    if (!this.#person) return;
    const { frame, beeped, hangsUp } = this.#person.step(heard);
    this.#offer(++this.#chunk, frame);
    if (beeped) this.events.onBeep?.();
    if (hangsUp) this.events.onHangUp?.();
  }

  #offer(chunk: number, frame: Uint8Array): void {
    if (chunk % SWAP_EVERY === 0) {
      this.#held = { chunk, frame };
      return;
    }
    this.say(chunk, frame);
    if (this.#held) this.say(this.#held.chunk, this.#held.frame);
    this.#held = undefined;
  }

  #receive(text: string): void {
    let message: { event?: unknown; media?: { payload?: unknown }; mark?: { name?: unknown } };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      this.#refuse('malformed_frame');
      return;
    }
    if (message.event === 'clear') {
      this.clears++;
      for (const name of this.#playOut.clear()) this.#returnMark(name);
    } else if (message.event === 'mark' && typeof message.mark?.name === 'string') {
      this.marks.push(message.mark.name);
      this.#playOut.mark(message.mark.name);
    } else if (message.event === 'media' && typeof message.media?.payload === 'string') {
      this.#take(Buffer.from(message.media.payload, 'base64'));
    } else this.#refuse('unknown_event');
  }

  #take(audio: Buffer): void {
    if (audio.length < SHORTEST_BYTES || audio.length > LONGEST_BYTES) {
      this.#refuse('invalid_media');
      return;
    }
    if (!this.terms.bidirectional) return;
    this.played.push(audio);
    this.#playOut.audio(audio);
  }

  #returnMark(name: string): void {
    this.#send({ event: 'mark', mark: { name } });
  }

  #refuse(title: string): void {
    this.errors.push(title);
    this.#send({ event: 'error', payload: { code: 100003, title, detail: title } });
  }

  #send(message: object): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(
      JSON.stringify({ ...message, stream_id: this.id, sequence_number: String(++this.#sequence) }),
    );
  }
}
