import type { WorkerDocument } from './model.js';

/** Why nobody takes WebRTC sessions, and after how many seconds somebody is expected to; null: not known. */
export interface WebRtcLack {
  readonly reason: string;
  readonly readyInSeconds: number | null;
}

const NEVER =
  'No media worker of this installation takes WebRTC sessions; talk to the agent by test/websocket instead.';

export function takesWebRtc({ webrtc }: Pick<WorkerDocument, 'webrtc'>): boolean {
  return webrtc?.available === true;
}

/**
 * Returns what the workers that report say where none of them takes WebRTC sessions; the one that is ready first speaks
 * for them. Null where one does, and where no worker reports at all. Pure. `now` in epoch ms.
 */
export function webRtcLack(
  workers: readonly Pick<WorkerDocument, 'webrtc'>[],
  now: number,
): WebRtcLack | null {
  if (workers.length === 0 || workers.some(takesWebRtc)) return null;
  const [first] = workers
    .flatMap(({ webrtc }) => webrtc ?? [])
    .sort((a, b) => (a.ready_at?.getTime() ?? Infinity) - (b.ready_at?.getTime() ?? Infinity));
  if (!first) return { reason: NEVER, readyInSeconds: null };
  return {
    reason: first.reason ?? NEVER,
    readyInSeconds: first.ready_at ? Math.max(1, Math.ceil((first.ready_at.getTime() - now) / 1000)) : null,
  };
}
