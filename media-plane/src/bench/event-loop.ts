import { PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_BYTES, FRAME_MS } from '@voice/shared/audio/g711';
import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import { createVoiceActivityDetector } from '../providers/vad/detector.js';

const SECONDS = 3;

export interface EventLoopHeld {
  readonly medianMs: number;
  readonly p90Ms: number;
  readonly worstMs: number;
}

/**
 * Measures for how long each turn of the event loop lasts while this many calls, all of them speaking, are listened to
 * in real time; `mulaw` is repeated. Turns without any work are left out.
 */
export async function eventLoopHeld(calls: number, mulaw: Uint8Array): Promise<EventLoopHeld> {
  const detector = await createVoiceActivityDetector({ clock: systemClock, log: silentLog });
  const settings = { format: PCMU_8K, on: 0.5, off: 0.35, minSpeechMs: 60, minSilenceMs: 200 };
  const sessions = Array.from({ length: calls }, () => detector.open(settings, () => {}));
  const held: number[] = [];
  const began = performance.now();
  for (let frames = 0; frames * FRAME_MS < SECONDS * 1000; frames++) {
    const at = (frames * FRAME_BYTES) % (mulaw.length - FRAME_BYTES);
    for (const session of sessions) session.write(mulaw.subarray(at, at + FRAME_BYTES));
    while (performance.now() - began < frames * FRAME_MS) {
      const { inferred } = detector.work;
      const from = performance.now();
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (detector.work.inferred > inferred) held.push(performance.now() - from);
    }
  }
  for (const session of sessions) session.close();
  await detector.close();
  held.sort((a, b) => a - b);
  const share = (part: number) => held[Math.min(held.length - 1, Math.floor(held.length * part))] ?? 0;
  return { medianMs: share(0.5), p90Ms: share(0.9), worstMs: share(1) };
}
