import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, join, sep } from 'node:path';

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
 * Calls `onChange` when a source is written, made, replaced or removed, or a folder of them. Every folder has a watch of
 * its own: Node's recursive one watches the files on Linux, and misses all that happens to a file after another took its
 * place, as editors and git do it. TypeScript 7.0's own `tsc -b --watch` polls every file, misses edits in place, and
 * leaves its compiler behind when it is ended; this costs nothing while nothing changes.
 */
export function watchSources(root: string, onChange: (file: string) => void): { close(): void } {
  const watchers = new Map<string, FSWatcher>();

  const forget = (folder: string) => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      watchers.delete(path);
    }
  };

  /** Watches the folder and those in it; what is in one that came later is new. */
  const begin = (folder: string, isNew: boolean) => {
    const watcher = watch(join(root, folder), (_event, name) => {
      if (name !== null) changed(join(folder, name));
    });
    // It was removed; the folder that it was in says so.
    watcher.on('error', () => {});
    watchers.set(folder, watcher);
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !MADE.has(entry.name)) begin(path, isNew);
      else if (isNew && entry.name.endsWith('.ts')) onChange(path);
    }
  };

  const changed = (path: string) => {
    if (path.endsWith('.ts')) return onChange(path);
    if (MADE.has(basename(path))) return;
    const isFolder = statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (!isFolder && !watchers.has(path)) return;
    // Another folder may have its name now.
    forget(path);
    if (!isFolder) return onChange(path);
    try {
      begin(path, true);
    } catch (error) {
      // It was gone before it was read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      forget(path);
    }
  };

  for (const folder of sourceFolders(root)) begin(folder, false);
  return {
    close() {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
