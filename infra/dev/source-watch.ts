import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Compiled or installed, not written by hand. */
const MADE = new Set(['dist', 'node_modules']);

/** Returns the folders of what the processes are compiled from, relative to the root. */
export function sourceFolders(root: string): string[] {
  const ofInfra = readdirSync(join(root, 'infra'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !MADE.has(entry.name))
    .map(({ name }) => join('infra', name));
  const ofPlanes = ['shared/src', 'control-plane/src', 'media-plane/src'];
  return [...ofPlanes, ...ofInfra].filter((folder) => existsSync(join(root, folder)));
}

/**
 * Calls `onChange` when a source is written, made or removed. TypeScript 7.0's own `tsc -b --watch` polls every file,
 * misses edits in place, and leaves its compiler behind when it is ended; this costs nothing while nothing changes.
 */
export function watchSources(root: string, onChange: (file: string) => void): { close(): void } {
  const watchers = sourceFolders(root).map((folder) =>
    watch(join(root, folder), { recursive: true }, (_event, name) => {
      if (name?.endsWith('.ts')) onChange(join(folder, name));
    }),
  );
  return {
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
