import { PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { ServiceError } from '@voice/shared/errors/service-error';
import { mp3DurationMs } from '../audio/mp3-format.js';
import { type EncoderChannel, EncoderClient } from './encoder-client.js';
import { StereoTimeline } from './timeline.js';

/** Blocks (of half a second) that may wait for the encoder; further ones are recorded as silence. */
const MAX_WAITING_BLOCKS = 120;

export interface RecorderOptions {
  /** Where the MP3 goes; the folder must exist. */
  readonly path: string;
  /** The encoder's thread; by default the one of the process. */
  readonly encoder?: EncoderClient;
}

export interface Recording {
  readonly durationMs: number;
  /** Length of the file. */
  readonly bytes: number;
}

/**
 * Records one call in stereo, caller left and agent right, as MP3 (see `mp3-format.ts`). Positions are ms
 * since the caller's media stream began; frames may come up to a second late and in any order. The file grows
 * while the call goes on and can be played at any time.
 */
export interface Recorder {
  /** @param frame mu-law, copied @param timestampMs the carrier's position of the frame */
  caller(frame: Uint8Array, timestampMs: number): void;
  /** @param frame mu-law that was really heard, copied @param atMs when it was heard */
  agent(frame: Uint8Array, atMs: number): void;
  /** Writes the rest. Rejects with `ServiceError` `recording_failed` when the file could not be written. */
  finish(): Promise<Recording>;
  /** Gives the recording up and removes its file. Idempotent; does nothing after `finish`. */
  abandon(): Promise<void>;
}

const processEncoder = new EncoderClient();

export function createRecorder({ path, encoder = processEncoder }: RecorderOptions): Recorder {
  let waiting = 0;
  let lost = 0;
  let failed = false;
  let ended = false;
  let channel: EncoderChannel | undefined;
  const outcome = new Promise<Recording | undefined>((resolve, reject) => {
    channel = encoder.open(path, {
      taken: () => {
        waiting--;
      },
      finished: (samples, bytes) => resolve({ durationMs: (samples * 1000) / PHONE_SAMPLE_RATE, bytes }),
      abandoned: () => resolve(undefined),
      failed: (message) => {
        failed = true;
        reject(recordingFailed(message));
      },
    });
  });
  // Whoever finishes gets the failure; until then it is nobody's.
  outcome.catch(() => {});

  const timeline = new StereoTimeline((left, right) => {
    if (failed) return;
    if (waiting >= MAX_WAITING_BLOCKS) {
      lost += left.length;
      return;
    }
    waiting++;
    channel?.send({ silence: lost, left, right });
    lost = 0;
  });

  return {
    caller: (frame, timestampMs) => {
      if (!ended) timeline.place('caller', frame, timestampMs);
    },
    agent: (frame, atMs) => {
      if (!ended) timeline.place('agent', frame, atMs);
    },
    async finish() {
      if (!ended) {
        ended = true;
        timeline.finish();
        channel?.finish(lost);
      }
      const recording = await outcome;
      if (!recording) throw recordingFailed('It was abandoned');
      return recording;
    },
    async abandon() {
      if (ended) return;
      ended = true;
      channel?.abandon();
      await outcome.catch(() => {});
    },
  };
}

function recordingFailed(cause: string): ServiceError {
  return new ServiceError({
    code: 'recording_failed',
    status: 500,
    message: 'The recording could not be written.',
    cause,
  });
}

/** The duration, in ms, of a recording's file of this length: also of one that was never finished. */
export function recordingDurationMs(bytes: number): number {
  return mp3DurationMs(bytes);
}
