/**
 * The disk, for what every call writes again and again. Files are numbered by the operating system, as those of `node:fs`
 * are. Everything rejects with the system's error and its `code` (`ENOSPC`).
 */
export interface Disk {
  /** Opens a file for its owner alone: `w` empties it, `a` appends to what is there. Resolves with its number. */
  open(path: string, flags: 'w' | 'a'): Promise<number>;
  /**
   * Writes all of the bytes, which are not to change until then. Where it rejects, some of them may be written.
   * @param position in the file, bytes; null: behind what is there
   */
  write(file: number, bytes: Uint8Array, position: number | null): Promise<void>;
  /** @param length bytes that stay */
  truncate(file: number, length: number): Promise<void>;
  close(file: number): Promise<void>;
  /** Removes a file; one that is not there is no failure. */
  remove(path: string): Promise<void>;
}
