import { MULAW_SILENCE } from '@voice/shared/audio/g711';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CLEARABLE_LEAD_MS } from '../lines/port.js';
import { Pacer } from './pacer.js';
import { MARK_RETURN_MS } from './playout-marks.js';
import { byTurn, turnOf } from './testing/paced-call.js';

/** Of lines that take nothing back, and of those that do, in ms. */
const LEADS_MS = [40, CLEARABLE_LEAD_MS];
/** How often the pacer looks, in ms. */
const TICK_MS = 10;

/** A carrier as Twilio describes itself: plays in order and in real time, a clear discards and returns the marks. */
class CarrierModel {
  readonly heard: number[] = [];
  readonly #clock: ScriptedClock;
  readonly #onMark: (name: string) => void;
  readonly #roundTripMs: number;
  #buffer: { readonly bytes: Uint8Array; readonly from: number }[] = [];
  #marks: { readonly name: string; readonly at: number }[] = [];
  #drainedAt = 0;
  mostAheadMs = 0;

  constructor(clock: ScriptedClock, roundTripMs: number, onMark: (name: string) => void) {
    this.#clock = clock;
    this.#roundTripMs = roundTripMs;
    this.#onMark = onMark;
  }

  sendAudio(frame: Uint8Array): boolean {
    const now = this.#clock.monotonic();
    this.#play(now);
    const from = Math.max(now, this.#drainedAt);
    this.#buffer.push({ bytes: frame.slice(), from });
    this.#drainedAt = from + frame.length / 8;
    this.mostAheadMs = Math.max(this.mostAheadMs, this.#drainedAt - now);
    return true;
  }

  sendMark(name: string): void {
    this.#marks.push({ name, at: Math.max(this.#clock.monotonic(), this.#drainedAt) });
    this.#returnMarks(this.#drainedAt);
  }

  clear(): void {
    const now = this.#clock.monotonic();
    this.#play(now);
    const current = this.#buffer[0];
    if (current && current.from < now) {
      // A sum of times that are no binary fractions may lie a hair below a whole sample.
      this.heard.push(...current.bytes.subarray(0, Math.floor((now - current.from) * 8 + 1e-6)));
    }
    this.#buffer = [];
    this.#drainedAt = now;
    this.#returnMarks(now);
  }

  /** All that was heard by now, whole frames. */
  settle(): void {
    this.#play(this.#clock.monotonic());
  }

  #play(now: number): void {
    while (this.#buffer[0] && this.#buffer[0].from + this.#buffer[0].bytes.length / 8 <= now) {
      this.heard.push(...this.#buffer.shift()!.bytes);
    }
  }

  #returnMarks(at: number): void {
    const marks = this.#marks;
    this.#marks = [];
    for (const { name } of marks) {
      const delay = Math.max(0, at - this.#clock.monotonic()) + this.#roundTripMs;
      this.#clock.schedule(delay, () => this.#onMark(name));
    }
  }
}

type Step =
  | { readonly do: 'write' | 'wait'; readonly ms: number }
  | { readonly do: 'resume'; readonly share: number }
  | { readonly do: 'pause' | 'finish' | 'interrupt' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('write' as const), ms: fc.integer({ min: 1, max: 300 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.integer({ min: 0, max: 680 }).map((quarters) => quarters / 4.1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('resume' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'pause' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'finish' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'interrupt' as const }) },
);

it('whatever a call does, the carrier plays what the position and the recording say', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 60 }),
      fc.oneof(fc.integer({ min: 0, max: MARK_RETURN_MS }), fc.integer({ min: 0, max: 700 })),
      fc.constantFrom(...LEADS_MS),
      (steps, roundTripMs, leadMs) => {
        const clock = new ScriptedClock();
        const pacer = new Pacer(clock, (error) => {
          throw error;
        });
        const recorded: number[] = [];
        const finished = new Map<number, number>();
        const carrier = new CarrierModel(clock, roundTripMs, (name) => paced.markReturned(name));
        const paced = pacer.open(
          carrier,
          {
            onFirstFrame: () => {},
            onFinished: (id, playedMs) => finished.set(turnOf(id), playedMs),
            onPlayed: (frame) => recorded.push(...frame),
          },
          // A longer way back would be taken for a later play-out.
          { leadMs, markEveryMs: roundTripMs <= MARK_RETURN_MS ? 200 : 0 },
        );

        const output = byTurn(paced);
        /** Bytes as they must have been heard: turn by turn, pause by pause. */
        const expected: number[] = [];
        let turn = 1;
        let audio: number[] = [];
        let from = 0;
        let paused = false;
        let finishing = false;
        const hear = (untilMs: number) => expected.push(...audio.slice(from, untilMs * 8));
        const nextTurn = () => {
          turn++;
          audio = [];
          from = 0;
          paused = false;
          finishing = false;
          output.begin(turn);
        };
        output.begin(turn);

        for (const action of steps) {
          if (finished.has(turn)) {
            expect(finished.get(turn)).toBe(audio.length / 8);
            hear(audio.length / 8);
            nextTurn();
          }
          switch (action.do) {
            case 'write': {
              const bytes = Array.from(
                { length: action.ms * 8 },
                (_, n) => (turn * 31 + audio.length + n) % 255,
              );
              expect(output.write(turn, Uint8Array.from(bytes))).toBe(!finishing);
              if (!finishing) audio.push(...bytes);
              break;
            }
            case 'wait':
              clock.advance(action.ms);
              break;
            case 'pause':
              if (!paused) {
                output.pause(turn);
                hear(output.playedMs(turn));
                from = output.playedMs(turn) * 8;
              }
              paused = true;
              break;
            case 'resume':
              if (paused) {
                from = Math.round((output.playedMs(turn) * action.share * 8) | 0);
                output.resume(turn, from / 8);
              }
              paused = false;
              break;
            case 'finish':
              output.finish(turn);
              finishing = true;
              break;
            case 'interrupt': {
              const playedMs = output.clear(turn);
              if (!paused) hear(playedMs);
              nextTurn();
              break;
            }
          }
          expect(carrier.mostAheadMs).toBeLessThanOrEqual(leadMs + 1e-6);
          expect(output.playedMs(turn)).toBeLessThanOrEqual(audio.length / 8);
        }

        // What is left is heard to its end.
        if (!finished.has(turn)) {
          if (paused) {
            output.resume(turn, from / 8);
          }
          output.finish(turn);
          clock.advance(audio.length / 8 + 2000);
        }
        expect(finished.get(turn)).toBe(audio.length / 8);
        hear(audio.length / 8);
        carrier.settle();
        expect(carrier.heard).toEqual(recorded);
        // No byte of the audio is silence; only the padding of a last frame is.
        expect(recorded.filter((byte) => byte !== MULAW_SILENCE)).toEqual(expected);
        // The tick after the end finds nothing left to do.
        clock.advance(TICK_MS);
        expect(pacer.activeCalls).toBe(0);
      },
    ),
    { numRuns: 200 },
  );
});
