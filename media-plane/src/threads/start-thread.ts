import { Worker } from 'node:worker_threads';

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
 * Starts a thread of the process from a module beside the caller's.
 * @param beside the caller's `import.meta.url` @param name the module's, such as `./encoder-thread`
 */
export function startThread(beside: string, name: string, workerData?: unknown): Worker {
  const source = beside.endsWith('.ts');
  return new Worker(new URL(`${name}.${source ? 'ts' : 'js'}`, beside), {
    workerData,
    execArgv: source ? ['--no-warnings', '--import', RESOLVE_TYPESCRIPT] : [],
  });
}
