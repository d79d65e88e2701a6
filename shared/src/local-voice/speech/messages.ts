import type { AudioFormat } from '../../audio/format.js';

/** A word of the text as it stands there (with its punctuation) and when it is heard, in ms of the audio. */
export interface SpokenWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface SpeechRequest {
  readonly text: string;
  /**
   * Empty: the neural voice where one is installed for the language, else espeak-ng. `espeak`: espeak-ng's voice of
   * the language. Else the name of the neural voice, or an espeak-ng voice such as `en-us` or `en-us+f3` (`+f3` alone
   * varies the language's voice).
   */
  readonly voice?: string;
  /** Which espeak-ng voice speaks when espeak-ng does and `voice` names none. */
  readonly espeakVoice?: string;
  /** BCP 47. */
  readonly language?: string;
  /** Words a minute, 80 to 450. */
  readonly rate?: number;
  /** Of the audio; mu-law at 8,000 Hz by default. */
  readonly format?: AudioFormat;
}

/** What espeak-ng's synthesis of one piece of text needs. */
export interface Rendering {
  readonly id: number;
  readonly text: string;
  /** Tried in order; the first that espeak-ng knows speaks. */
  readonly voices: readonly string[];
  readonly rate: number;
  readonly format: AudioFormat;
}

/** A text whose sounds are asked for. */
export interface Phonemization {
  readonly id: number;
  readonly text: string;
  readonly voice: string;
}

export type ToEspeak =
  | ({ readonly type: 'speak' } & Rendering)
  | ({ readonly type: 'phonemize' } & Phonemization)
  | { readonly type: 'cancel'; readonly id: number };

export interface Failed {
  readonly type: 'failed';
  readonly id: number;
  readonly code: 'unknown_voice' | 'synthesis_failed';
  readonly message: string;
}

export type FromEspeak =
  | { readonly type: 'ready' }
  | {
      readonly type: 'chunk';
      readonly id: number;
      /** In the rendering's format. */
      readonly audio: Uint8Array;
      readonly words: readonly SpokenWord[];
    }
  /** IPA, clauses parted by ` | `. */
  | { readonly type: 'phonemes'; readonly id: number; readonly ipa: string }
  | { readonly type: 'done'; readonly id: number }
  | Failed;

export type ToPiper =
  | {
      readonly type: 'speak';
      readonly id: number;
      readonly phonemes: readonly number[];
      /** Of all durations; 1 is the voice's own pace. */
      readonly lengthScale: number;
      /** How much silence stays at the end, in ms; undefined: as the model makes it. */
      readonly tailMs: number | undefined;
      readonly format: AudioFormat;
    }
  | { readonly type: 'cancel'; readonly id: number };

export type FromPiper =
  | { readonly type: 'ready' }
  | {
      readonly type: 'spoken';
      readonly id: number;
      readonly audio: Uint8Array;
      /** Where the sound of speech begins and ends in it, ms. */
      readonly speechFromMs: number;
      readonly speechToMs: number;
    }
  | Failed;
