import { Worker } from 'node:worker_threads';
import { compiledSource } from '@voice/shared/process/compiled-source';

/**
 * Sources under a test runner are TypeScript: Node strips the types itself, and this teaches it that an
 * import of `./x.js` is `./x.ts` there. Built code needs none of it.
 */
const RESOLVE_TYPESCRIPT = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    try { return next(name, context); }
    catch (error) {
      if (name.startsWith('.') && name.endsWith('.js')) return next(name.slice(0, -3) + '.ts', context);
      throw error;
    }
  } });`,
)}`;

/**
 * Starts a thread of the process from a module beside the caller's; beside a source, from what was compiled of it where
 * that is as new.
 * @param beside the caller's `import.meta.url` @param name the module's, such as `./encoder-thread`
 */
export function startThread(beside: string, name: string, workerData?: unknown): Worker {
  const source = beside.endsWith('.ts') ? new URL(`${name}.ts`, beside) : undefined;
  const compiled = source ? compiledSource(source.href) : new URL(`${name}.js`, beside);
  return new Worker(new URL(compiled ?? source!), {
    workerData,
    execArgv: compiled ? [] : ['--no-warnings', '--import', RESOLVE_TYPESCRIPT],
  });
}
