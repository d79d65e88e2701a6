import type { Clock } from '../clock/clock.js';
import { INTER_PLANE_TOKEN_LIFE_MS, type InterPlaneToken } from './token.js';

export interface NonceMemoryOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Nonces that are remembered at most; default 100,000, some 15 MB. */
  readonly capacity?: number;
}

const CAPACITY = 100_000;

/**
 * Remembers the nonces that this process has taken, as long as their tokens are valid. When there are too many, the
 * oldest is forgotten and every token that is as old as it is refused from then on: memory is bounded, and a repeat is
 * refused at any rate. Only nonces of valid signatures belong here, so a stranger cannot fill it.
 */
export class NonceMemory {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #capacity: number;
  /** Token times by nonce, in the order in which they were taken. */
  readonly #taken = new Map<string, number>();
  /** Tokens that are not younger are refused, in epoch ms: their nonces may be forgotten. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;

  constructor({ clock, capacity = CAPACITY }: NonceMemoryOptions) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** Nonces that are remembered now. */
  get size(): number {
    return this.#taken.size;
  }

  /** Takes the token's nonce: false when it was taken before, or may have been. */
  take({ nonce, issuedAt }: Pick<InterPlaneToken, 'nonce' | 'issuedAt'>): boolean {
    if (issuedAt <= this.#forgottenUntil || this.#taken.has(nonce)) return false;
    this.#taken.set(nonce, issuedAt);
    this.#forget();
    return true;
  }

  #forget(): void {
    const expired = this.#clock.now() - INTER_PLANE_TOKEN_LIFE_MS;
    for (const [nonce, issuedAt] of this.#taken) {
      const isFull = this.#taken.size > this.#capacity;
      if (issuedAt >= expired && !isFull) return;
      this.#taken.delete(nonce);
      if (issuedAt >= expired) this.#forgottenUntil = Math.max(this.#forgottenUntil, issuedAt);
    }
  }
}
