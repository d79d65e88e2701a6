import { Mp3File } from './mp3-file.js';
import { RawReader } from './raw-recording.js';
import { StereoTimeline } from './timeline.js';

export interface EncodedRecording {
  readonly durationMs: number;
  /** Length of the MP3. */
  readonly bytes: number;
}

/**
 * Makes the stereo MP3 of a raw recording, caller left and agent right, at the line's own rate. The MP3 is
 * made anew whenever this is called, and is whole only when it resolves; the raw recording is left alone.
 * Holds its thread until it is done (about a hundredth of the call's length).
 * @throws ServiceError `recording_unreadable` for a file that is no recording
 */
export async function encodeRecording(rawPath: string, mp3Path: string): Promise<EncodedRecording> {
  const reader = new RawReader(rawPath);
  try {
    const { format } = reader;
    const file = await Mp3File.create(mp3Path, format.sampleRate);
    try {
      const timeline = new StereoTimeline((caller, agent) => file.write(caller, agent), format);
      readInto(timeline, reader);
      const { samples, bytes } = file.finish();
      return { durationMs: (samples * 1000) / format.sampleRate, bytes };
    } catch (error) {
      file.close();
      throw error;
    }
  } finally {
    reader.close();
  }
}

/** Puts a whole raw recording into the timeline, and ends it. */
export function readInto(timeline: StereoTimeline, reader: RawReader): void {
  for (const { lane, atMs, bytes } of reader.records()) {
    if (lane === 'time') timeline.advance(atMs);
    else timeline.place(lane, bytes, atMs);
  }
  timeline.finish();
}
