import type { Clock, Timer } from '@voice/shared/clock/clock';

/** The networks over which a call can be simulated. */
export const NETWORKS = ['good', 'mobile', 'bad'] as const;
export type NetworkName = (typeof NETWORKS)[number];

/** What a network does to a call, each way. */
interface NetworkTerms {
  /** How long everything takes, in ms. */
  readonly delayMs: number;
  /** By how much it may take longer, in ms; what comes behind waits for it, as in a TCP connection. */
  readonly jitterMs: number;
  /** The share of frames of 20 ms that are lost on the air: silence is in their place. */
  readonly loss: number;
  /** How many are lost one after the other, on average. */
  readonly burst: number;
}

/** A telephone at home, one in a moving car, and one at the edge of where there is a network. */
const TERMS: Readonly<Record<NetworkName, NetworkTerms>> = {
  good: { delayMs: 0, jitterMs: 0, loss: 0, burst: 1 },
  mobile: { delayMs: 60, jitterMs: 40, loss: 0.01, burst: 1.5 },
  bad: { delayMs: 150, jitterMs: 120, loss: 0.04, burst: 2 },
};

export interface NetworkPathOptions {
  readonly network: NetworkName;
  readonly clock: Clock;
  /** From 1 to 2,147,483,646: the same seed meets the same delays and losses. */
  readonly seed: number;
}

/** One direction of a call's network: delivers in order, late, and loses frames. */
export class NetworkPath {
  readonly #terms: NetworkTerms;
  readonly #clock: Clock;
  readonly #underWay: { readonly at: number; readonly deliver: () => void }[] = [];
  #seed: number;
  #lastAt = Number.NEGATIVE_INFINITY;
  #isLosing = false;
  #timer: Timer | undefined;

  constructor({ network, clock, seed }: NetworkPathOptions) {
    this.#terms = TERMS[network];
    this.#clock = clock;
    this.#seed = seed;
  }

  /** Calls `deliver` when the message is through; at once on a good network. */
  send(deliver: () => void): void {
    const { delayMs, jitterMs } = this.#terms;
    if (delayMs + jitterMs === 0) {
      deliver();
      return;
    }
    this.#lastAt = Math.max(this.#lastAt, this.#clock.monotonic() + delayMs + jitterMs * this.#chance());
    this.#underWay.push({ at: this.#lastAt, deliver });
    if (!this.#timer) this.#schedule();
  }

  /** Returns whether the next frame is lost. */
  losesFrame(): boolean {
    const { loss, burst } = this.#terms;
    if (loss === 0) return false;
    // Two states (Gilbert's model): what is lost is lost in bursts, and so often that the share comes out.
    const begins = loss / burst / (1 - loss);
    this.#isLosing = this.#chance() < (this.#isLosing ? 1 - 1 / burst : begins);
    return this.#isLosing;
  }

  /** Drops what is under way. */
  close(): void {
    this.#timer?.cancel();
    this.#underWay.length = 0;
  }

  #schedule(): void {
    const next = this.#underWay[0];
    this.#timer = next
      ? this.#clock.schedule(Math.max(0, next.at - this.#clock.monotonic()), () => this.#deliver())
      : undefined;
  }

  #deliver(): void {
    const now = this.#clock.monotonic();
    while (this.#underWay[0] && this.#underWay[0].at <= now) this.#underWay.shift()!.deliver();
    this.#schedule();
  }

  /** Returns a number from 0 to 1, the same ones in each run (Park and Miller's). */
  #chance(): number {
    this.#seed = (this.#seed * 16_807) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}
