import { FRAME_MS } from '@voice/shared/audio/g711';
import type { CallCaptions } from '../captions/captions.js';
import type { Person } from '../people/person.js';
import type { FrameTicker } from './ticker.js';

/** What one side does with each 20 ms of the conversation. */
export interface FarEnd {
  /** Returns the audio that the person gets in the next 20 ms. */
  next(): Uint8Array;
  /** Takes what the person says in them; `positionMs` counts from the beginning of this connection. */
  take(frame: Uint8Array, positionMs: number): void;
  /** Takes a key that the person presses. */
  press(key: string): void;
}

export interface LineEvents {
  onHangUp(): void;
  onBeep(): void;
}

export interface LineOptions {
  readonly person: Person;
  readonly captions: CallCaptions;
  readonly ticker: FrameTicker;
  readonly events: LineEvents;
}

/** Connects the person with what the call does just now: a media stream, a spoken text, a pause. */
export class Line {
  readonly #person: Person;
  readonly #captions: CallCaptions;
  readonly #ticker: FrameTicker;
  readonly #events: LineEvents;

  constructor({ person, captions, ticker, events }: LineOptions) {
    this.#person = person;
    this.#captions = captions;
    this.#ticker = ticker;
    this.#events = events;
  }

  /** Connects both in real time, frame by frame; gives what disconnects them. */
  connect(farEnd: FarEnd): () => void {
    let positionMs = 0;
    const disconnect = this.#ticker.subscribe(() => {
      const { frame, events } = this.#person.step(farEnd.next());
      let hangsUp = false;
      for (const event of events) {
        if (event.type === 'speaks') {
          this.#captions.publish({
            kind: 'utterance',
            id: event.utterance,
            words: event.phrase.words.map((word) => ({
              text: word.text,
              start_ms: positionMs + Math.round(word.startMs),
              end_ms: positionMs + Math.round(word.endMs),
            })),
          });
        } else if (event.type === 'stops') {
          this.#captions.publish({ kind: 'cut', id: event.utterance, at_ms: positionMs });
        } else if (event.type === 'presses') farEnd.press(event.key);
        else if (event.type === 'beeped') this.#events.onBeep();
        else hangsUp = true;
      }
      farEnd.take(frame, positionMs);
      positionMs += FRAME_MS;
      if (hangsUp) this.#events.onHangUp();
    });
    return disconnect;
  }
}
