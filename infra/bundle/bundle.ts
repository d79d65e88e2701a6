import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { posix } from 'node:path';
import { bundleRecord, bundlesOf, ingredientsOf, recordBundle } from '@voice/shared/process/bundle';
import { type OutputBundle, type Plugin, rolldown } from 'rolldown';

export interface Bundled {
  readonly plane: string;
  /** By name, compiled files relative to the root: `run`, and the processes and threads that it starts from beside it. */
  readonly entries: Readonly<Record<string, string>>;
  /** Packages that stay where they are: they find files of their own there, or load most of themselves late. */
  readonly apart: readonly string[];
  /** Files of packages, such as `twilio/lib/rest/Twilio.js`, of which what they load by its path stays where it is. */
  readonly loadLate?: readonly string[];
}

const PACKAGES = /\/node_modules\//;
/** Two, so that what runs from the last bundle can load the rest of it while the next one is made. */
const FOLDERS = ['a', 'b'];
const LINK_TO_MAP = /\n\/\/# sourceMappingURL=\S*\s*$/;

/** Keeps the way from a bundle's line to the line of the source, as the compiler recorded it. */
const ownSourceMaps: Plugin = {
  name: 'own-source-maps',
  load: {
    filter: { id: { include: /\.js$/, exclude: PACKAGES } },
    handler(file) {
      if (!existsSync(`${file}.map`)) return null;
      const map: string = readFileSync(`${file}.map`, 'utf8');
      return { code: readFileSync(file, 'utf8').replace(LINK_TO_MAP, '\n'), map };
    },
  },
};

/** Leaves out the maps of the packages: 20 MB, which Node would read at each start. */
const noMapsOfPackages: Plugin = {
  name: 'no-maps-of-packages',
  generateBundle(_options: unknown, bundle: OutputBundle) {
    for (const name of ['packages.js', 'zod.js']) {
      const chunk = bundle[name];
      if (chunk?.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(LINK_TO_MAP, '\n');
      delete bundle[`${name}.map`];
    }
  },
};

/** Has what such files load taken from its package when it is asked for. */
const lateParts = (files: readonly string[]): Plugin => ({
  name: 'late-parts',
  resolveId(source, importer) {
    const file = files.find((name) => importer?.endsWith(`/node_modules/${name}`));
    if (file === undefined || !source.startsWith('./')) return null;
    return { id: `${posix.join(posix.dirname(file), source)}.js`, external: true };
  },
});

/**
 * Puts what the compiler made of a plane, and the packages that it imports, into a few files; nothing where that has been
 * done. It is the same code: nothing is left out, renamed or shortened.
 * @param root of the repository, with a trailing slash
 * @returns whether there was something to do
 */
export async function bundle(
  { plane, entries, apart, loadLate = [] }: Bundled,
  root: string,
): Promise<boolean> {
  const madeOf = ingredientsOf(plane, root);
  const last = bundleRecord(plane, root);
  if (last && JSON.stringify(last.madeOf) === JSON.stringify(madeOf)) return false;
  const folder = FOLDERS.find((name) => name !== last?.folder)!;
  const all = bundlesOf(plane, root);
  rmSync(all + folder, { recursive: true, force: true });
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, root + file])),
    platform: 'node',
    external: (id) => apart.some((name) => id === name || id.startsWith(`${name}/`)),
    treeshake: false,
    plugins: [ownSourceMaps, noMapsOfPackages, lateParts(loadLate)],
  });
  await build.write({
    dir: all + folder,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // Threads use no package but zod, or one that stays apart: they are spared the rest.
    codeSplitting: {
      groups: [
        { name: 'zod', test: /\/node_modules\/zod\//, priority: 1 },
        { name: 'packages', test: PACKAGES },
      ],
    },
  });
  await build.close();
  mkdirSync(all, { recursive: true });
  recordBundle(plane, { folder, madeOf }, root);
  return true;
}
