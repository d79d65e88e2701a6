/** A word of the text as it stands there (with its punctuation) and when it is heard, in ms of the audio. */
export interface SpokenWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface SpeechRequest {
  readonly text: string;
  /** espeak-ng voice such as `en-us` or `en-us+f3`; `+f3` alone varies the language's voice; empty: the language's. */
  readonly voice?: string;
  /** BCP 47. */
  readonly language?: string;
  /** Words a minute, 80 to 450. */
  readonly rate?: number;
}

/** What the synthesis of one piece of text needs. */
export interface Rendering {
  readonly id: number;
  readonly text: string;
  /** Tried in order; the first that espeak-ng knows speaks. */
  readonly voices: readonly string[];
  readonly rate: number;
}

export type ToEspeak =
  | ({ readonly type: 'speak' } & Rendering)
  | { readonly type: 'cancel'; readonly id: number };

export type FromEspeak =
  | { readonly type: 'ready' }
  | {
      readonly type: 'chunk';
      readonly id: number;
      /** Mu-law at 8,000 Hz. */
      readonly audio: Uint8Array;
      readonly words: readonly SpokenWord[];
    }
  | { readonly type: 'done'; readonly id: number }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly code: 'unknown_voice' | 'synthesis_failed';
      readonly message: string;
    };
