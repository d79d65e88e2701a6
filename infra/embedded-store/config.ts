import { port as portParser } from '@voice/shared/environment/parsers';

export const USAGE = `A single-process server of MongoDB's wire protocol over SQLite, on loopback.

  main.js [--port N] [--data DIR] [--socket on|off] [--ttl-monitor on|off]

  --port N              TCP port on 127.0.0.1 (default 27017; 0 picks a free one)
  --data DIR            directory of the database file and of its password, which is made at the first start
                        (default ./data/store)
  --socket on|off       whether it also listens on the Unix socket DIR/store.sock, which is faster (default on)
  --ttl-monitor on|off  whether documents that a TTL index lets expire are removed (default on; off where the
                        documents' times are not the machine's)
  --help                this text
`;

export type Flags =
  | {
      readonly kind: 'serve';
      readonly port: number;
      readonly dataDir: string;
      readonly socket: boolean;
      readonly ttlMonitor: boolean;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly reason: string };

/** Reads the command line: `--port N` and `--port=N` alike. */
export function parseFlags(args: readonly string[]): Flags {
  let port = 27017;
  let dataDir = './data/store';
  const switches = { '--socket': true, '--ttl-monitor': true };
  const list = args.flatMap((arg) =>
    /^--[\w-]+=/.test(arg) ? [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)] : [arg],
  );
  for (let at = 0; at < list.length; at++) {
    const flag = list[at] as string;
    if (flag === '--help' || flag === '-h') return { kind: 'help' };
    const isSwitch = flag === '--socket' || flag === '--ttl-monitor';
    if (flag !== '--port' && flag !== '--data' && !isSwitch)
      return { kind: 'wrong', reason: `unknown argument ${flag}` };
    const value = list[++at];
    if (value === undefined || value === '') return { kind: 'wrong', reason: `${flag} needs a value` };
    if (flag === '--data') dataDir = value;
    else if (isSwitch) {
      if (value !== 'on' && value !== 'off') return { kind: 'wrong', reason: `${flag}: expected on or off` };
      switches[flag] = value === 'on';
    } else {
      const parsed = portParser.safeParse(value);
      if (!parsed.success) return { kind: 'wrong', reason: `--port: ${parsed.error.issues[0]?.message}` };
      port = parsed.data;
    }
  }
  return {
    kind: 'serve',
    port,
    dataDir,
    socket: switches['--socket'],
    ttlMonitor: switches['--ttl-monitor'],
  };
}
