import type { AudioFormat } from '@voice/shared/audio/format';

/** What the process and the model's thread exchange. */

/** What the thread is started with. */
export interface ThreadData {
  /** Path of the model's file. */
  readonly model: string;
}

/** The caller's turn so far, at most 8 s, its end last. */
export interface SpeechToJudge {
  readonly format: AudioFormat;
  readonly audio: Uint8Array<ArrayBuffer>;
}

export interface ToThread extends SpeechToJudge {
  readonly id: number;
}

export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'judged'; readonly id: number; readonly probability: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };
