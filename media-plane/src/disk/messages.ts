/** What the process and the disk's thread say to each other. */

/** What the thread is asked for. The bytes of all writes of a batch lie one behind the other. */
export type DiskTask =
  | { readonly type: 'open'; readonly path: string; readonly flags: 'w' | 'a' }
  | {
      readonly type: 'write';
      readonly file: number;
      readonly length: number;
      readonly position: number | null;
    }
  | { readonly type: 'truncate'; readonly file: number; readonly length: number }
  | { readonly type: 'close'; readonly file: number }
  | { readonly type: 'remove'; readonly path: string };

/** A batch, to be carried out in order. */
export interface ToDisk {
  readonly tasks: readonly DiskTask[];
  /** At least as many as are to be written. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What came of a task: the number of the file that was opened, 0 for all others, or why it could not be done. */
export type DiskResult = number | { readonly message: string; readonly code: string | undefined };

/** What came of the tasks of the oldest batch that is not answered, in order. */
export interface FromDisk {
  readonly results: readonly DiskResult[];
  /** The batch's memory, to be filled again. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}
