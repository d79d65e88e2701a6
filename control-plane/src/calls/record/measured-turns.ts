import type { TurnMetrics } from '@voice/shared/contracts/call-events';
import { type WaveformFigures, waveformFigures } from '@voice/shared/contracts/waveform';

/** A turn's figures by the worker, and beside them what the call's recording shows; null where it shows nothing. */
export interface MeasuredTurn extends TurnMetrics {
  readonly waveform_response_latency_ms: number | null;
  readonly waveform_barge_in_latency_ms: number | null;
}

/** How much earlier or later than the worker believes something may be heard in the recording, in ms. */
const EARLIEST_MS = -200;
const LATEST_MS = 2000;

/** Reads what a worker measured in a call's recording, as it is kept; null where there is none, or of another version. */
export function readWaveform(json: string | null | undefined): WaveformFigures | null {
  if (!json) return null;
  try {
    return waveformFigures.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** Puts what the recording shows beside what the worker measured, turn by turn. Pure. */
export function measuredTurns(
  turns: readonly TurnMetrics[],
  figures: WaveformFigures | null,
): MeasuredTurn[] {
  const responses = (figures?.responses ?? []).map((one) => ({
    atMs: one.agent_began_at_ms,
    lastedMs: one.agent_began_at_ms - one.caller_ended_at_ms,
  }));
  const bargeIns = (figures?.barge_ins ?? []).map((one) => ({
    atMs: one.agent_ended_at_ms,
    lastedMs: one.agent_ended_at_ms - one.caller_began_at_ms,
  }));
  return turns.map((turn) => ({
    ...turn,
    waveform_response_latency_ms:
      turn.response_latency_ms === null ? null : take(responses, turn.audible_at_ms),
    waveform_barge_in_latency_ms:
      turn.barge_in_latency_ms === null ? null : take(bargeIns, turn.silenced_at_ms),
  }));
}

/** Takes the one that is heard nearest to the time, so that no other turn gets it. */
function take(
  measured: { atMs: number; lastedMs: number }[],
  expectedMs: number | null | undefined,
): number | null {
  if (expectedMs === null || expectedMs === undefined) return null;
  let nearest = -1;
  for (const [index, { atMs }] of measured.entries()) {
    const late = atMs - expectedMs;
    if (late < EARLIEST_MS || late > LATEST_MS) continue;
    if (nearest < 0 || Math.abs(late) < Math.abs(measured[nearest]!.atMs - expectedMs)) nearest = index;
  }
  return nearest < 0 ? null : (measured.splice(nearest, 1)[0]?.lastedMs ?? null);
}
