import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { Span } from './recorder.js';

const seconds = (ms: number) => (ms / 1000).toFixed(1);

/** Returns the entry of the timeline that says that a recording goes on, and what is missing in it. Pure. */
export function recordingResumed(lost: Span | null): CallEventBody {
  const missing = lost
    ? `It is silent from ${seconds(lost.fromMs)} s to ${seconds(lost.untilMs)} s: that could not be written.`
    : 'Nothing is missing in it.';
  return { kind: 'notice', code: 'recording_recovered', message: `The recording goes on. ${missing}` };
}
