import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { referencesOf } from './affected.js';

/** Where `tsc -b` writes, relative to the root. */
const FOLDERS = ['shared/dist', 'control-plane/dist', 'media-plane/dist', 'infra/dist'];

/** The compiled files of a clone: which of them were written of late, and what each refers to. */
export class CompiledFiles {
  readonly #root: string;
  readonly #references = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns those written after `sinceMs` (epoch ms), relative to the root. */
  writtenSince(sinceMs: number): string[] {
    const written = FOLDERS.flatMap((folder) =>
      readdirSync(join(this.#root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js'))
        .map((name) => join(folder, name))
        .filter((file) => statSync(join(this.#root, file)).mtimeMs > sinceMs),
    );
    for (const file of written) this.#references.delete(file);
    return written;
  }

  /** What the file refers to; nothing where it is not there. */
  references = (file: string): readonly string[] => {
    const known = this.#references.get(file);
    if (known) return known;
    const found = referencesOf(file, this.#read(file));
    this.#references.set(file, found);
    return found;
  };

  #read(file: string): string {
    try {
      return readFileSync(join(this.#root, file), 'utf8');
    } catch {
      return '';
    }
  }
}
