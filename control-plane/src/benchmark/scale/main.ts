import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { percentile } from '../../calls/record/call-record.js';
import type { Installation } from './measured.js';

const USAGE = `Usage: npm run bench:scale [-- --calls 100000]

What many calls cost the API: the same requests of a tenant that has a tenth of all calls, with few calls in the
embedded store and with many, in turns. Fails where one takes more than 1.5 times as long with many calls (p50, or
p99), or where overview, usage or a campaign's analytics takes more than 20 ms (p50).

  --calls N       calls of the large store (100000; 1000000 is what the figures of docs/performance.md are of)
  --beside N      calls of the small one (10000)
  --tenants N     tenants of the large store (1000)
  --campaigns N   campaigns of the large store (1000)
  --requests N    requests of each kind (1000; of those that begin a call at most 750)
`;

const MOST_TIMES = 1.5;
/** Sums answer within this time, in ms. */
const SUMS_WITHIN_MS = 20;
/** Differences below it are the machine's, in ms: of the median, and of one request in a hundred. */
const NOISE_MS = { p50: 2, p99: 10 };
/** Requests of each kind before the first that counts: what they run is compiled by then. */
const WARM_UP = 200;

interface Scenario {
  readonly name: string;
  readonly isSum?: boolean;
  /** Requests that it can make of each store, those to warm up included. */
  readonly most?: number;
  readonly ask: (of: Installation, n: number) => Promise<{ ms: number }>;
}

/** Goes to a page so many pages deep once, and asks for the one after it from then on. */
function deepPage(pages: number): Scenario['ask'] {
  const cursors = new Map<Installation, string>();
  return async (of) => {
    if (!cursors.has(of)) {
      let cursor = '';
      for (let page = 0; page < pages; page++) {
        const { json } = await of.ask('GET', `/calls?limit=100${cursor && `&cursor=${cursor}`}`);
        cursor = (json as { next_cursor: string | null }).next_cursor ?? cursor;
      }
      cursors.set(of, cursor);
    }
    return of.ask('GET', `/calls?limit=50&cursor=${cursors.get(of)}`);
  };
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'GET /calls', ask: (of) => of.ask('GET', '/calls') },
  {
    name: 'GET /calls, three filters',
    ask: (of) => of.ask('GET', `/calls?status=NO_ANSWER&direction=outbound&agent_id=${of.tenant.agentId}`),
  },
  { name: 'GET /calls, one filter', ask: (of) => of.ask('GET', '/calls?direction=outbound') },
  { name: 'GET /calls, page 9 by cursor', ask: deepPage(8) },
  {
    name: 'GET /calls/{id}/detail',
    ask: (of, n) => of.ask('GET', `/calls/${of.tenant.callIds[(n * 7) % of.tenant.callIds.length]}/detail`),
  },
  { name: 'GET /analytics/overview', isSum: true, ask: (of) => of.ask('GET', '/analytics/overview') },
  { name: 'GET /billing/usage', isSum: true, ask: (of) => of.ask('GET', '/billing/usage') },
  {
    name: 'GET /campaigns/{id}/analytics',
    isSum: true,
    ask: (of) => of.ask('GET', `/campaigns/${of.tenant.campaignId}/analytics`),
  },
  // Nobody ends them, and a tenant may have a thousand at once.
  { name: 'POST /calls', most: 950, ask: (of) => of.ask('POST', '/calls', of.tenant.call) },
];

const write = (text: string) => process.stdout.write(`${text}\n`);

async function measure(scenario: Scenario, stores: readonly Installation[], requests: number) {
  const times = stores.map((): number[] => []);
  const counted = Math.min(requests, (scenario.most ?? Number.POSITIVE_INFINITY) - WARM_UP);
  for (let n = -WARM_UP; n < counted; n++) {
    for (const [at, of] of stores.entries()) {
      const { ms } = await scenario.ask(of, n + WARM_UP);
      if (n >= 0) times[at]!.push(ms);
    }
  }
  return times.map((all) => ({ p50: percentile(all, 0.5)!, p99: percentile(all, 0.99)! }));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      calls: { type: 'string', default: '100000' },
      beside: { type: 'string', default: '10000' },
      tenants: { type: 'string', default: '1000' },
      campaigns: { type: 'string', default: '1000' },
      requests: { type: 'string', default: '1000' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  // Only then: a question for help does not wait for a control plane.
  const { install } = await import('./measured.js');
  const stores: Installation[] = [];
  try {
    for (const calls of [Number(values.beside), Number(values.calls)]) {
      const from = performance.now();
      const share = calls / Number(values.calls);
      const of = (whole: string) => Math.max(10, Math.round(Number(whole) * share));
      stores.push(
        await install({ calls, tenants: of(values.tenants), campaigns: of(values.campaigns) }, write),
      );
      write(`${calls} calls in ${Math.round((performance.now() - from) / 1000)} s`);
    }
    return await compare(stores, Number(values.requests));
  } finally {
    for (const store of stores) await store.close();
  }
}

async function compare(stores: readonly Installation[], requests: number): Promise<number> {
  let code = 0;
  write(
    `\n${'ms'.padEnd(32)}${stores.map(({ calls }) => `${calls} calls p50 / p99`.padStart(26)).join('')}        times`,
  );
  for (const scenario of SCENARIOS) {
    const [few, many] = (await measure(scenario, stores, requests)) as [Measured, Measured];
    const times = (of: keyof Measured) => many[of] / few[of];
    const isSlower = (['p50', 'p99'] as const).some(
      (of) => times(of) > MOST_TIMES && many[of] - few[of] > NOISE_MS[of],
    );
    const isLate = scenario.isSum === true && many.p50 > SUMS_WITHIN_MS;
    if (isSlower || isLate) code = 1;
    const cells = [few, many].map(({ p50, p99 }) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`.padStart(26));
    write(
      `${scenario.name.padEnd(32)}${cells.join('')}  ${times('p50').toFixed(2)} / ${times('p99').toFixed(2)}${isSlower || isLate ? '  TOO SLOW' : ''}`,
    );
  }
  return code;
}

interface Measured {
  readonly p50: number;
  readonly p99: number;
}

runProgram(main, { name: 'bench:scale', lingers: true });
