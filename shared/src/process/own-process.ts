import { fileURLToPath } from 'node:url';
import { compiledSource } from './compiled-source.js';

/** How a part of ours is run in a process of its own. */
export interface OwnProcess {
  readonly entry: string;
  /** Arguments of Node itself, before the entry. */
  readonly execArgv: readonly string[];
}

/** `@voice/shared/…` of sources is this directory. */
const SHARED_SOURCES = new URL('../', import.meta.url).href;

/**
 * Sources under a test runner are TypeScript: Node strips the types itself, and this teaches it that an
 * import of `./x.js` is `./x.ts` there, and where the shared sources are. Built code needs none of it.
 */
const RESOLVE_TYPESCRIPT = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    const shared = /^@voice\\/shared\\/(.+)$/.exec(name);
    if (shared) return next(${JSON.stringify(SHARED_SOURCES)} + shared[1] + '.ts', context);
    try { return next(name, context); }
    catch (error) {
      if (name.startsWith('.') && name.endsWith('.js')) return next(name.slice(0, -3) + '.ts', context);
      throw error;
    }
  } });`,
)}`;

/**
 * Finds the entry `name` (without extension) beside the module that asks; beside a source, what was compiled of it where
 * that is as new.
 * @param moduleUrl `import.meta.url` of that module
 */
export function ownProcess(moduleUrl: string, name: string): OwnProcess {
  const source = moduleUrl.endsWith('.ts') ? new URL(`${name}.ts`, moduleUrl) : undefined;
  const compiled = source ? compiledSource(source.href) : new URL(`${name}.js`, moduleUrl);
  if (compiled) return { entry: fileURLToPath(compiled), execArgv: [] };
  return {
    entry: fileURLToPath(source!),
    execArgv: ['--no-warnings', '--experimental-strip-types', '--import', RESOLVE_TYPESCRIPT],
  };
}
