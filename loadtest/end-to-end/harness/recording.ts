import { MPEGDecoderWebWorker } from 'mpg123-decoder';
import { expect } from 'vitest';
import type { TranscriptTurn } from '../../system/tenant.js';

/**
 * How much earlier than the transcript says the caller's speech may stand in the recording, in ms: of a machine that
 * stood still the worker gets many frames at once, and the recording places each where it was spoken.
 */
const ARRIVED_LATE_MS = 1500;

export interface Recording {
  readonly channels: readonly Float32Array[];
  readonly durationMs: number;
  /** Root mean square of a channel between two positions in ms; full scale is 1. */
  loudness(channel: 'caller' | 'agent', fromMs: number, toMs: number): number;
}

/**
 * Decodes a recording, in a thread of its own: the first one held up this process for a third of a second, in which
 * the people who were talking said nothing, and vendors did not answer.
 */
export async function decodeRecording(mp3: Uint8Array): Promise<Recording> {
  const decoder = new MPEGDecoderWebWorker();
  await decoder.ready;
  const { channelData, samplesDecoded, sampleRate } = await decoder.decode(mp3);
  await decoder.free();
  return {
    channels: channelData,
    durationMs: (samplesDecoded / sampleRate) * 1000,
    loudness(channel, fromMs, toMs) {
      const samples = channelData[channel === 'caller' ? 0 : 1]!;
      const part = samples.subarray((fromMs / 1000) * sampleRate, (toMs / 1000) * sampleRate);
      return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, part.length));
    },
  };
}

/** Returns how loud somebody's turn is on their own channel; full scale is 1. */
export function loudnessOf(
  recording: Recording,
  { role, started_at_ms, ended_at_ms }: Pick<TranscriptTurn, 'role' | 'started_at_ms' | 'ended_at_ms'>,
): number {
  if (role !== 'caller') return recording.loudness('agent', started_at_ms, ended_at_ms);
  const late = recording.loudness('caller', Math.max(0, started_at_ms - ARRIVED_LATE_MS), ended_at_ms);
  return Math.max(late, recording.loudness('caller', started_at_ms, ended_at_ms));
}

/** Expects every turn that was not interrupted on its speaker's channel, caller left, agent right. */
export function expectTurnsRecorded(recording: Recording, transcript: readonly TranscriptTurn[]): void {
  for (const turn of transcript.filter(({ role, interrupted }) => role !== 'tool' && !interrupted)) {
    const loudness = loudnessOf(recording, turn);
    expect(loudness, `${turn.role}: ${turn.text}`).toBeGreaterThan(0.01);
    // A codec taken for another is noise at full scale.
    expect(loudness, `${turn.role}: ${turn.text}`).toBeLessThan(0.4);
  }
}
