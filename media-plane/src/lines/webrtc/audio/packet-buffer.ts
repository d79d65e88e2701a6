import type { OpusPacketInfo } from './opus-packet.js';

export interface BufferedPacket {
  /** Unwrapped. */
  readonly sequence: number;
  /** Unwrapped, in ticks of 48 kHz. */
  readonly timestamp: number;
  /** In ticks of 48 kHz. */
  readonly duration: number;
  readonly info: OpusPacketInfo;
  readonly payload: Uint8Array;
}

/** More than this many are never held, whatever their timestamps say: 0.5 s of packets of 2.5 ms. */
const MAX_PACKETS = 200;

/** Holds packets that wait to be played, in the order of their timestamps. */
export class PacketBuffer {
  readonly #packets: BufferedPacket[] = [];

  get first(): BufferedPacket | undefined {
    return this.#packets[0];
  }

  get length(): number {
    return this.#packets.length;
  }

  /** Returns the time from the first packet's begin to the last one's end, gaps included; in ticks of 48 kHz. */
  get span(): number {
    const last = this.#packets.at(-1);
    return last ? last.timestamp + last.duration - this.#packets[0]!.timestamp : 0;
  }

  /** Inserts a packet. False: one with this timestamp is there already, or there is no room. */
  insert(packet: BufferedPacket): boolean {
    if (this.#packets.length >= MAX_PACKETS) return false;
    let at = this.#packets.length;
    while (at > 0 && this.#packets[at - 1]!.timestamp > packet.timestamp) at--;
    if (this.#packets[at - 1]?.timestamp === packet.timestamp) return false;
    this.#packets.splice(at, 0, packet);
    return true;
  }

  take(): BufferedPacket | undefined {
    return this.#packets.shift();
  }

  clear(): void {
    this.#packets.length = 0;
  }
}
