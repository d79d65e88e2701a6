/** What a recorder and the encoder's thread say to each other. */

export type ToEncoder =
  | { readonly type: 'open'; readonly id: number; readonly path: string }
  /** `silence`: samples that were lost before this block and take their time as silence. */
  | {
      readonly type: 'audio';
      readonly id: number;
      readonly silence: number;
      readonly left: Int16Array;
      readonly right: Int16Array;
    }
  | { readonly type: 'finish'; readonly id: number; readonly silence: number }
  /** Close and remove the file. */
  | { readonly type: 'abandon'; readonly id: number };

export type FromEncoder =
  /** A block was encoded and written. */
  | { readonly type: 'taken'; readonly id: number }
  | { readonly type: 'finished'; readonly id: number; readonly samples: number; readonly bytes: number }
  | { readonly type: 'abandoned'; readonly id: number }
  /** The file cannot be written; nothing follows for it. */
  | { readonly type: 'failed'; readonly id: number; readonly message: string };
