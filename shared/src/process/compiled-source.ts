import { existsSync, readdirSync, statSync } from 'node:fs';

const SOURCE = /^(.+\/)([^/]+)\/src\/(.+)\.ts$/;
const known = new Map<string, boolean>();

/**
 * Returns the address of what the compiler made of a source, for who runs sources and starts a thread or a process of
 * them: it starts in half the time that Node takes to strip the types. Undefined where a source of its plane, or one that
 * is shared, has changed since.
 */
export function compiledSource(url: string): string | undefined {
  const [, root, plane, path] = SOURCE.exec(url) ?? [];
  if (root === undefined || plane === undefined) return undefined;
  const compiled = `${root}${plane}/dist/${path}.js`;
  const isCurrent = existsSync(new URL(compiled)) && [plane, 'shared'].every((name) => isBuilt(root + name));
  return isCurrent ? compiled : undefined;
}

/** Returns whether the compiler has run since the sources of a folder last changed; asked once, as it looks at them all. */
function isBuilt(folder: string): boolean {
  const before = known.get(folder);
  if (before !== undefined) return before;
  const builtAt = statSync(new URL(`${folder}/dist/.tsbuildinfo`), { throwIfNoEntry: false })?.mtimeMs;
  const sources = new URL(`${folder}/src/`);
  const isOlder = (file: string) => statSync(new URL(file, sources)).mtimeMs <= (builtAt ?? 0);
  const compiled = (file: string) => file.endsWith('.ts') && !file.endsWith('.test.ts');
  const built =
    builtAt !== undefined &&
    readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(compiled).every(isOlder);
  known.set(folder, built);
  return built;
}
