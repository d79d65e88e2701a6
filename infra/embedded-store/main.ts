import { passwordPath, STORE_USER } from '@voice/shared/embedded-store/access';
import { type Flags, parseFlags, USAGE } from './config.js';

type Served = Extract<Flags, { kind: 'serve' }>;

// Node 22 warns that its SQLite is experimental whenever it is loaded; the store's log holds only its own messages.
const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
process.emitWarning = (...args: unknown[]) => {
  if (!String(args[0]).includes('SQLite is an experimental feature')) emitWarning(...args);
};
const { startEmbeddedStore } = await import('./server.js');
const { keepPassword } = await import('./access/password.js');

const flags = parseFlags(process.argv.slice(2));
if (flags.kind === 'help') {
  process.stdout.write(USAGE);
} else if (flags.kind === 'wrong') {
  process.stderr.write(`${flags.reason}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  await serve(flags);
}

async function serve({ port, dataDir, socket, ttlMonitor }: Served): Promise<void> {
  try {
    const store = await startEmbeddedStore({
      port,
      dataDir,
      ttlMonitor,
      password: keepPassword(dataDir),
      socket,
    });
    const stop = () => {
      void store.close().then(() => process.exit(0));
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    // The launcher is gone.
    process.once('disconnect', stop);
    process.stdout.write(
      `embedded store ready on ${store.uri} (user ${STORE_USER}, password in ${passwordPath(dataDir)})\n`,
    );
    process.send?.({ type: 'ready', port: store.port });
  } catch (error) {
    process.stderr.write(`embedded store: ${explain(error, port, dataDir)}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown, port: number, dataDir: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const text = error instanceof Error ? error.message : String(error);
  if (code === 'EADDRINUSE') return `port ${port} is taken; choose another with --port, or 0 for a free one`;
  if (code === 'EACCES') return `no permission for port ${port} or for ${dataDir}`;
  if (text.includes('database is locked')) return `${dataDir} is in use by another embedded store`;
  return text;
}
