/** What the process and the encoder's thread say to each other. */

export interface ToEncoder {
  readonly id: number;
  readonly rawPath: string;
  readonly mp3Path: string;
}

export type FromEncoder =
  /** So much of the recording is in the MP3. */
  | { readonly type: 'progressed'; readonly id: number; readonly encodedMs: number }
  | { readonly type: 'encoded'; readonly id: number; readonly durationMs: number; readonly bytes: number }
  /** The MP3 could not be made; the raw recording is as it was. */
  | { readonly type: 'failed'; readonly id: number; readonly code: string; readonly message: string };
