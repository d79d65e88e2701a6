import type { Duplex } from 'node:stream';

/** What goes wrong with WebSocket handshakes; off by default, and changeable while it runs. */
export interface HandshakeFaults {
  /** Refuses this many handshakes with `refuseStatus`. */
  refuseNext: number;
  refuseStatus: number;
  /** `Retry-After` of those refusals, in seconds; null: none. */
  retryAfterSeconds: number | null;
  /** Never answers this many handshakes: the connection stays. */
  hangNext: number;
}

export function noHandshakeFaults(): HandshakeFaults {
  return { refuseNext: 0, refuseStatus: 503, retryAfterSeconds: null, hangNext: 0 };
}

/** Makes handshakes go wrong, and holds those that are never answered. */
export class FaultyHandshakes {
  readonly #faults: HandshakeFaults;
  readonly #hanging = new Set<Duplex>();

  constructor(faults: HandshakeFaults) {
    this.#faults = faults;
  }

  /** Takes the fault of the next handshake; the caller refuses it by itself, and leaves one that hangs alone. */
  take(socket: Duplex): 'hangs' | 'is refused' | undefined {
    if (this.#faults.hangNext > 0) {
      this.#faults.hangNext -= 1;
      this.#hanging.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#hanging.delete(socket));
      return 'hangs';
    }
    if (this.#faults.refuseNext <= 0) return undefined;
    this.#faults.refuseNext -= 1;
    return 'is refused';
  }

  /** Tears those that were never answered. */
  drop(): void {
    for (const socket of this.#hanging) socket.destroy();
  }
}
