import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';

/** How fast an emulated voice is. */
export interface Pace {
  /** From the text that sets off a generation to its first audio, in ms. */
  readonly firstAudioDelayMs: number;
  /** How much faster than it is spoken the rest of the audio comes. */
  readonly speed: number;
  /** Audio in one message, in ms. */
  readonly chunkMs: number;
}

/** Longer than anything waits: how a service that has fallen silent is. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** Yields the pieces of a generation's audio, each when it is due. Throws the signal's reason when it is given up. */
export async function* pacedAudio(
  audio: Uint8Array,
  format: AudioFormat,
  { firstAudioDelayMs, speed, chunkMs }: Pace,
  clock: Clock,
  gone: AbortSignal,
): AsyncGenerator<{ readonly audio: Uint8Array; readonly startMs: number; readonly audioMs: number }> {
  const perMs = bytesPerMs(format);
  const step = Math.max(1, Math.round(chunkMs)) * perMs;
  let dueAt = clock.monotonic() + firstAudioDelayMs;
  for (let offset = 0; offset < audio.length; offset += step) {
    const waitMs = dueAt - clock.monotonic();
    if (waitMs > 0) await clock.sleep(waitMs, gone);
    gone.throwIfAborted();
    const piece = audio.subarray(offset, offset + step);
    const audioMs = piece.length / perMs;
    yield { audio: piece, startMs: offset / perMs, audioMs };
    dueAt = Math.max(dueAt, clock.monotonic()) + audioMs / speed;
  }
}

/** Waits until the signal ends it. */
export function fallSilent(clock: Clock, gone: AbortSignal): Promise<void> {
  return clock.sleep(FOR_EVER_MS, gone);
}
