import { describe, expect, it } from 'vitest';
import { AcknowledgedWrites } from './acknowledged-writes.js';
import { audit, type WriteEvidence } from './audit.js';
import type { ApiAnswer } from './replicas-client.js';

/** What becomes of a rename. */
type Fate = 'written' | 'forgotten' | 'unanswered' | 'written, unanswered';

/** An API with agents that have names, and that answers each rename as the test says. */
class FakeApi {
  readonly names = new Map<string, string>();
  readonly keys: (string | undefined)[] = [];
  readonly #fates: Fate[];

  constructor(...fates: readonly Fate[]) {
    this.#fates = [...fates];
  }

  async attempt(
    method: string,
    path: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<ApiAnswer | undefined> {
    if (method === 'GET') {
      const name = this.names.get(path.split('/').at(-1)!);
      return name === undefined ? { status: 404, json: {} } : { status: 200, json: { name } };
    }
    this.keys.push(idempotencyKey);
    const { name } = body as { name: string };
    const id = method === 'POST' ? `a${this.names.size + 1}` : path.split('/').at(-1)!;
    const fate = method === 'POST' ? 'written' : (this.#fates.shift() ?? 'written');
    if (fate.startsWith('written')) this.names.set(id, name);
    if (fate.endsWith('unanswered')) return undefined;
    return { status: method === 'POST' ? 201 : 200, json: { id, name } };
  }
}

/** Creates one agent and renames it four times. */
async function written(api: FakeApi): Promise<AcknowledgedWrites> {
  const writes = new AcknowledgedWrites(api);
  for (let number = 0; number < 5; number++) await writes.writeNext();
  return writes;
}

const findings = (writes: readonly WriteEvidence[]) =>
  audit({
    calls: [],
    contacts: [],
    events: [],
    dials: new Map(),
    usageCalls: 0,
    writes,
    refusedEvents: new Set(),
    commands: [],
    timelines: new Map(),
    leaks: [],
  });

describe('the record of acknowledged writes', () => {
  it('holds nothing against an API that keeps what it acknowledged', async () => {
    expect(findings(await (await written(new FakeApi())).evidence())).toEqual([]);
  });

  it.each<[string, readonly Fate[], string]>([
    ['the last rename', ['written', 'written', 'written', 'forgotten'], 'write 3'],
    ['all renames but the first', ['written', 'forgotten', 'forgotten', 'forgotten'], 'write 1'],
    ['all renames', ['forgotten', 'forgotten', 'forgotten', 'forgotten'], 'write 0'],
  ])('shows that an API forgot %s', async (_what, fates, kept) => {
    const evidence = await (await written(new FakeApi(...fates))).evidence();
    expect(findings(evidence)).toEqual([`a1 was acknowledged as 'write 4' and is '${kept}'.`]);
  });

  it('shows that a rename was forgotten although the next got no answer', async () => {
    const api = new FakeApi('written', 'written', 'forgotten', 'unanswered');
    expect(findings(await (await written(api)).evidence())).toEqual([
      "a1 was acknowledged as 'write 3' and is 'write 2'.",
    ]);
  });

  it.each<[string, readonly Fate[]]>([
    ['was written', ['written', 'written', 'written', 'written, unanswered']],
    ['was not written', ['written', 'written', 'written', 'unanswered']],
  ])('takes a rename that got no answer as it is found: it %s', async (_what, fates) => {
    expect(findings(await (await written(new FakeApi(...fates))).evidence())).toEqual([]);
  });

  it('takes a rename that got no answer and is written after one that was acknowledged', async () => {
    const api = new FakeApi('written', 'unanswered', 'written', 'written');
    const writes = await written(api);
    api.names.set('a1', 'write 2');
    expect(findings(await writes.evidence())).toEqual([]);
  });

  it('gives each write a key of its own, by which a late copy is not written once more', async () => {
    const api = new FakeApi();
    await written(api);
    expect(api.keys).not.toContain(undefined);
    expect(new Set(api.keys).size).toBe(5);
  });
});
