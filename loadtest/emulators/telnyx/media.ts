import { randomUUID } from 'node:crypto';
import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, bytesPerMs, frameBytes, PCMU_8K } from '@voice/shared/audio/format';
import { sampleBytes } from '@voice/shared/audio/samples';
import { type Clock, systemClock, type Timer } from '@voice/shared/clock/clock';
import { WebSocket } from 'ws';
import type { Conversation } from './phone.js';
import { FRAME_MS, PlayOut } from './play-out.js';

/** What one message to Telnyx may carry, in ms. */
const SHORTEST_MS = 20;
const LONGEST_MS = 30_000;
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
  /** Of the client's audio; mu-law where the request names none. */
  readonly sends?: AudioFormat;
  /** Of what we are sent. */
  readonly takes?: AudioFormat;
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
  /** Of what the caller says, and of what is played to them. */
  readonly sends: AudioFormat;
  readonly takes: AudioFormat;
  /** People speak and hear mu-law. */
  readonly #fromPerson: AudioConverter;
  readonly #toPerson: AudioConverter;
  /** Of the person, less than a frame: rate conversion looks ahead. */
  #unsent: Buffer = Buffer.alloc(0);
  #sequence = 0;
  /** Frames that are not sent, though they have a number. */
  #dropping = 0;
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
    this.sends = terms.sends ?? PCMU_8K;
    this.takes = terms.takes ?? PCMU_8K;
    this.#fromPerson = new AudioConverter({ from: PCMU_8K, to: this.sends });
    this.#toPerson = new AudioConverter({ from: this.takes, to: PCMU_8K });
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

  /** Sends one frame of the caller, in the stream's format, under its chunk number. */
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

  /** Loses this many of the caller's next frames on their way. */
  dropNext(frames: number): void {
    this.#dropping = frames;
  }

  /** Numbers everything from the beginning again, as after a failure inside Telnyx. */
  restartNumbering(): void {
    this.#sequence = 0;
    this.#chunk = 0;
  }

  /** Reports an error as Telnyx does; the stream goes on. */
  reportError(title: string, code = 100002): void {
    this.#send({ event: 'error', payload: { code, title, detail: title } });
  }

  /** Sends an event that is not documented. */
  sendUnknown(event: string): void {
    this.#send({ event });
  }

  /** Takes the person away, who talks to somebody else from now on; the stream goes on in silence. */
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
        media_format: mediaFormat(this.sends),
      },
    });
    this.events.onOpen?.();
    this.#nextAt = this.#clock.monotonic() + FRAME_MS;
    this.#schedule();
  }

  /** Schedules a tick every 20 ms on absolute deadlines, so that no delay adds up. */
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
    this.#unsent = Buffer.concat([this.#unsent, this.#fromPerson.convert(frame)]);
    const bytes = frameBytes(this.sends);
    for (; this.#unsent.length >= bytes; this.#unsent = this.#unsent.subarray(bytes)) {
      this.#offer(++this.#chunk, this.#unsent.subarray(0, bytes));
    }
    if (beeped) this.events.onBeep?.();
    if (hangsUp) this.events.onHangUp?.();
  }

  #offer(chunk: number, frame: Uint8Array): void {
    if (this.#dropping > 0) {
      this.#dropping--;
      return;
    }
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
    const ms = audio.length / bytesPerMs(this.takes);
    const isCut = audio.length % sampleBytes(this.takes.encoding) !== 0;
    if (ms < SHORTEST_MS || ms > LONGEST_MS || isCut) {
      this.#refuse('invalid_media');
      return;
    }
    if (!this.terms.bidirectional) return;
    this.played.push(audio);
    this.#playOut.audio(Buffer.from(this.#toPerson.convert(audio)));
  }

  #returnMark(name: string): void {
    this.#send({ event: 'mark', mark: { name } });
  }

  #refuse(title: string): void {
    this.errors.push(title);
    this.reportError(title, 100003);
  }

  #send(message: object): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(
      JSON.stringify({ ...message, stream_id: this.id, sequence_number: String(++this.#sequence) }),
    );
  }
}

/** Names a format as `start` does. */
function mediaFormat({ encoding, sampleRate }: AudioFormat) {
  const names = { pcmu: 'PCMU', pcma: 'PCMA', l16: 'L16' } as const;
  return { encoding: names[encoding], sample_rate: sampleRate, channels: 1 };
}
