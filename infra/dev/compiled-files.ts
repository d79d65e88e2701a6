import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packagesOf, referencesOf } from './affected.js';

/** Where `tsc -b` writes, relative to the root. */
const FOLDERS = ['shared/dist', 'control-plane/dist', 'media-plane/dist', 'infra/dist'];

interface KnownFile {
  readonly text: string;
  readonly references: readonly string[];
}

/** The compiled files of a clone: which of them have changed of late, and what each refers to. */
export class CompiledFiles {
  readonly #root: string;
  readonly #known = new Map<string, KnownFile>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns those written after `sinceMs` (epoch ms) that are not as they were known, relative to the root. */
  changedSince(sinceMs: number): string[] {
    return FOLDERS.flatMap((folder) =>
      readdirSync(join(this.#root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js'))
        .map((name) => join(folder, name))
        .filter((file) => statSync(join(this.#root, file)).mtimeMs > sinceMs),
    ).filter((file) => {
      if (this.#known.get(file)?.text === this.#read(file)) return false;
      this.forget(file);
      return true;
    });
  }

  /** Takes a file for one that was written anew. */
  forget(file: string): void {
    this.#known.delete(file);
  }

  /** The packages that the files import as they are loaded, each once. */
  packages(files: Iterable<string>): string[] {
    return [...new Set([...files].flatMap((file) => packagesOf(this.#file(file).text)))];
  }

  /** What the file refers to; nothing where it is not there. */
  references = (file: string): readonly string[] => this.#file(file).references;

  #file(file: string): KnownFile {
    const known = this.#known.get(file);
    if (known) return known;
    const text = this.#read(file);
    const read = { text, references: referencesOf(file, text) };
    this.#known.set(file, read);
    return read;
  }

  #read(file: string): string {
    try {
      return readFileSync(join(this.#root, file), 'utf8');
    } catch {
      return '';
    }
  }
}
