import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { type LoadRequest, load } from './http-load.js';
import { type Comparison, type Half, summarise, table } from './report.js';
import type { Scene, Server } from './scene.js';

const USAGE = `Usage: npm run bench:api [-- --rounds 8 --seconds 1 --connections 16]

The API against bare Express and mongoose on the same store, machine and moment: the same calls read,
listed and placed. A round measures one after the other; the ratios are the medians of the rounds'. The
processor time is that of the server's process, until what the requests have begun is done.

  --rounds N        rounds of each scenario (8)
  --seconds N       measured time of each half of a round (1)
  --connections N   kept busy at once (16)
  --only TEXT       only scenarios whose name contains it, as in --only POST
`;

/** So that what is measured is compiled code, on both sides. */
const WARM_UP_SECONDS = 3;

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly only: string;
}

interface Scenario {
  readonly name: string;
  readonly target: number;
  readonly status: number;
  readonly api: (n: number) => LoadRequest;
  readonly bare: (n: number) => LoadRequest;
  readonly afterHalf?: () => Promise<void>;
}

function scenarios(scene: Scene): Scenario[] {
  const asReader = { authorization: `Bearer ${scene.readerKey}` };
  const someCall = (n: number) => scene.callIds[(n * 7919) % scene.callIds.length]!;
  return [
    {
      name: 'GET /calls/{id}',
      target: 0.6,
      status: 200,
      api: (n) => ({ method: 'GET', path: `/api/v1/calls/${someCall(n)}`, headers: asReader }),
      bare: (n) => ({ method: 'GET', path: `/calls/${someCall(n)}` }),
    },
    {
      name: 'GET /calls',
      target: 0.6,
      status: 200,
      api: () => ({ method: 'GET', path: '/api/v1/calls', headers: asReader }),
      bare: () => ({ method: 'GET', path: '/calls' }),
    },
    {
      name: 'POST /calls',
      // 0.5 is the goal; runs of one build spread by 0.05 about their median.
      target: 0.45,
      status: 202,
      api: (n) => {
        const { key, body } = scene.callers[n % scene.callers.length]!;
        return { method: 'POST', path: '/api/v1/calls', headers: { authorization: `Bearer ${key}` }, body };
      },
      bare: () => ({ method: 'POST', path: '/calls', body: JSON.stringify(scene.newDocument()) }),
      afterHalf: () => scene.clear(),
    },
  ];
}

async function compare(scene: Scene, scenario: Scenario, options: Options): Promise<Comparison> {
  let n = 0;
  const half = async (
    server: Server,
    request: (n: number) => LoadRequest,
    seconds: number,
  ): Promise<Half> => {
    const before = server.threadTimeMs();
    const result = await load({
      port: server.port,
      connections: options.connections,
      durationMs: seconds * 1000,
      expectedStatus: scenario.status,
      request: () => request(n++),
    });
    await scenario.afterHalf?.();
    return { ...result, cpuMs: server.threadTimeMs() - before };
  };
  const rounds: { api: Half; bare: Half }[] = [];
  await half(scene.bare, scenario.bare, WARM_UP_SECONDS);
  await half(scene.api, scenario.api, WARM_UP_SECONDS);
  for (let round = 0; round < options.rounds; round++) {
    const bare = await half(scene.bare, scenario.bare, options.seconds);
    const api = await half(scene.api, scenario.api, options.seconds);
    rounds.push({ api, bare });
  }
  return { name: scenario.name, target: scenario.target, rounds };
}

function positive(name: string, text: string, maximum: number): number {
  const value = Number(text);
  if (value > 0 && value <= maximum) return value;
  throw new Error(`--${name}: “${text}” is not a number above 0 and up to ${maximum}`);
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '8' },
      seconds: { type: 'string', default: '1' },
      connections: { type: 'string', default: '16' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    rounds: positive('rounds', values.rounds, 1000),
    seconds: positive('seconds', values.seconds, 600),
    connections: Math.ceil(positive('connections', values.connections, 1000)),
    only: values.only,
  };
}

async function main(): Promise<number> {
  const options = readOptions();
  if (!options) {
    process.stdout.write(USAGE);
    return 0;
  }
  // Not loaded for help, or for an option that is none.
  const { setScene } = await import('./scene.js');
  const scene = await setScene();
  try {
    const lines = [];
    for (const scenario of scenarios(scene).filter(({ name }) => name.includes(options.only))) {
      process.stderr.write(`bench: ${scenario.name}, ${options.rounds} rounds\n`);
      lines.push(summarise(await compare(scene, scenario, options)));
    }
    process.stdout.write(`${table(lines)}\n`);
    return lines.every(({ met }) => met) ? 0 : 1;
  } finally {
    await scene.close();
  }
}

runProgram(main, { name: 'bench:api', lingers: true });
