import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { BuiltProgram } from '@voice/shared/process/built-program';

const PACER = 'control-plane/dist/benchmark/campaign-pacer.js';
/** From the moment that all campaigns are stored to the first slot, in ms: the pacers read what falls due every 2 s. */
const LEAD_MS = 6000;
/** How long it takes to store a campaign and its job on a busy machine, in ms. */
const STORED_IN_MS = 2;
/** How much later a slot may begin than it should without counting as missed, in ms. */
const GRACE_MS = 1000;

export interface ManyCampaigns {
  readonly campaigns: number;
  readonly perMinute: number;
  readonly seconds: number;
}

interface Report {
  readonly calls: number;
  readonly expected: number;
  readonly rateError: number;
  readonly calledTwice: number;
  readonly lateMs: Readonly<Record<'least' | 'p50' | 'p99' | 'most', number>>;
}

/**
 * Paces many campaigns on two replicas and one embedded store, and kills one replica half-way. A call is one document
 * that has ended already: measured is the pacing, not the calls.
 */
export async function paceMany({ campaigns, perMinute, seconds }: ManyCampaigns): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'campaigns-bench-'));
  const children: BuiltProgram[] = [];
  const start = async (entry: string, args: readonly string[]) => {
    const child = await BuiltProgram.start(entry, args);
    children.push(child);
    return child;
  };
  try {
    const store = await start('infra/dist/embedded-store/main.js', ['--port', '0', '--data', dataDir]);
    const uri = runningStoreUri({ port: store.port, dataDir, database: 'bench' });
    /** Has it done, however long that takes. */
    const answerOf = async <Answer>(mode: 'seed' | 'report', options: object): Promise<Answer> => {
      const file = join(dataDir, `${mode}.json`);
      const code = await (await start(PACER, [mode, uri, file, JSON.stringify(options)])).ended();
      if (code !== 0) throw new Error(`${PACER} ${mode} ended with exit code ${code}`);
      return JSON.parse(await readFile(file, 'utf8')) as Answer;
    };
    const counts = [join(dataDir, 'first.json'), join(dataDir, 'second.json')];
    const pacers = await Promise.all(counts.map((file) => start(PACER, ['run', uri, file])));
    const contactsEach = Math.ceil(((seconds + GRACE_MS / 1000) * perMinute) / 60) + 2;
    process.stdout.write(`seeding ${campaigns} campaigns of ${contactsEach} contacts\n`);
    const seedingAt = performance.now();
    const asked = { count: campaigns, perMinute, contactsEach, leadMs: LEAD_MS + campaigns * STORED_IN_MS };
    const { startsAt } = await answerOf<{ startsAt: number }>('seed', asked);
    const inS = (ms: number) => (ms / 1000).toFixed(0);
    process.stdout.write(
      `seeded in ${inS(performance.now() - seedingAt)} s; first slot in ${inS(startsAt - Date.now())} s\n`,
    );
    if (startsAt < Date.now())
      throw new Error('the machine is too busy: campaigns were due before all were stored');
    const commands = async () => {
      const texts = await Promise.all(
        counts.map((file) => readFile(file, 'utf8').catch(() => '{"commands":0}')),
      );
      return texts.map((text) => (JSON.parse(text) as { commands: number }).commands);
    };
    const usage = (alive: readonly number[]) =>
      [...pacers, store].map((part, n) => (n === 2 || alive.includes(n) ? part.usage().cpuMs : 0));
    const phase = async (name: string, untilMs: number, alive: readonly number[]) => {
      const [began, before, cpuBefore] = [performance.now(), await commands(), usage(alive)];
      await sleep(Math.max(0, untilMs - Date.now()));
      const [after, cpuAfter] = [await commands(), usage(alive)];
      const tookMs = performance.now() - began;
      const parts = ['replica 1', 'replica 2', 'store'].flatMap((part, n) => {
        if (n < 2 && !alive.includes(n)) return [];
        const cpu = ((100 * (cpuAfter[n]! - cpuBefore[n]!)) / tookMs).toFixed(0);
        const sent = n < 2 ? `${(((after[n]! - before[n]!) * 1000) / tookMs).toFixed(1)} commands/s, ` : '';
        return [`${part}: ${sent}${cpu} % of a core`];
      });
      process.stdout.write(`${name}: ${parts.join('; ')}\n`);
    };
    const endsAt = startsAt + seconds * 1000;
    await phase('before the first slot', startsAt, [0, 1]);
    await phase('both replicas', startsAt + seconds * 500, [0, 1]);
    pacers[0]!.kill();
    await phase('one replica killed', endsAt + GRACE_MS, [1]);
    const report = await answerOf<Report>('report', { perMinute, until: endsAt });
    process.stdout.write(
      `${JSON.stringify({ asked: { campaigns, perMinute, seconds }, ...report }, null, 2)}\n`,
    );
    return report.calledTwice === 0 && Math.abs(report.rateError) <= 0.02;
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await rm(dataDir, { recursive: true, force: true });
  }
}
