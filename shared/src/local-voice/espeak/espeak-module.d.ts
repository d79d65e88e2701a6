/** The part of the package that we use; it ships no types (seen in its `espeak-ng.js`, 0.3.5). */
declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakEvent {
    readonly type:
      | 'list_terminated'
      | 'word'
      | 'sentence'
      | 'mark'
      | 'play'
      | 'end'
      | 'msg_terminated'
      | 'phoneme'
      | 'samplerate';
    /** 1-based, in characters (code points) of the text. */
    readonly text_position: number;
    readonly word_length: number;
    /** ms since the beginning of the synthesis. */
    readonly audio_position: number;
    readonly id: string | number | undefined;
  }

  export interface EspeakWorker {
    /** 0 when the voice was found. */
    set_voice(name: string): number;
    /** Words a minute. */
    set_rate(wordsPerMinute: number): void;
    /** Synchronous; the callback returns true to stop. Samples are 16-bit mono at `get_samplerate()`. */
    synthesize(text: string, onChunk: (samples: Int16Array, events: EspeakEvent[]) => boolean): void;
    get_samplerate(): number;
    /** Where the phonemes stand in `HEAPU8`, ended by a zero; IPA with clauses parted by ` | `. */
    convert_to_phonemes(text: string, ipa: boolean): { readonly ptr: number };
  }

  export interface EspeakModule {
    readonly HEAPU8: Uint8Array;
    readonly eSpeakNGWorker: new () => EspeakWorker;
  }

  export default function loadEspeak(): Promise<EspeakModule>;
}
