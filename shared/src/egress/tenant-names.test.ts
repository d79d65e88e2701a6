import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAddressPolicy } from './address-policy.js';
import { guardedLookup } from './guarded-request.js';
import { TenantNames } from './tenant-names.js';

/** A question of the system that is not answered yet. */
interface Asked {
  readonly name: string;
  answer(...addresses: string[]): void;
  fail(code: string): void;
}

let asked: Asked[];
/** The system as the process knows it: a question is answered when the test says so. */
const system = (name: string) =>
  new Promise<LookupAddress[]>((resolve, reject) => {
    asked.push({
      name,
      answer: (...addresses) => resolve(addresses.map((address) => ({ address, family: 4 }))),
      fail: (code) => reject(Object.assign(new Error(code), { code })),
    });
  });
const names = () => asked.map(({ name }) => name);
/** Lets what is due without I/O happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  asked = [];
});

describe('a name that a tenant gave', () => {
  /** DNS that knows some names, and says of all others at once that it does not. */
  const dnsOf = (four: Record<string, string[]>, six: Record<string, string[]> = {}) => {
    const answer = (known: Record<string, string[]>) => async (name: string) => {
      const found = known[name];
      if (!found) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
      return found;
    };
    return { resolve4: answer(four), resolve6: answer(six) } as Pick<Resolver, 'resolve4' | 'resolve6'>;
  };

  it('has the addresses that DNS knows, of both families, and the system is not asked', async () => {
    const dns = dnsOf({ 'a.example': ['192.0.2.1', '192.0.2.2'] }, { 'a.example': ['2001:db8::1'] });
    expect(await new TenantNames({ dns, system }).resolve('a.example')).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    expect(names()).toEqual([]);
  });

  it('that DNS does not know is asked of the system, one after another and each once', async () => {
    const resolution = new TenantNames({ dns: dnsOf({}), system });
    const found = ['a.test', 'b.test', 'a.test'].map((name) => resolution.resolve(name));
    await settled();
    expect(names()).toEqual(['a.test']);
    asked[0]!.answer('192.0.2.7');
    await settled();
    expect(names()).toEqual(['a.test', 'b.test']);
    asked[1]!.fail('ENOTFOUND');
    await expect(found[1]).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const seven = [{ address: '192.0.2.7', family: 4 }];
    expect([await found[0], await found[2]]).toEqual([seven, seven]);
    void resolution.resolve('a.test');
    await settled();
    expect(names()).toEqual(['a.test', 'b.test', 'a.test']);
  });

  it('that is the 65th to wait for the system is not resolved now', async () => {
    const resolution = new TenantNames({ dns: dnsOf({}), system });
    for (let n = 0; n < 64; n++) void resolution.resolve(`n${n}.test`);
    await settled();
    await expect(resolution.resolve('n64.test')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    expect(names()).toEqual(['n0.test']);
  });

  it.each(['localhost', 'receiver', 'receiver.', 'app.localhost'])(
    'that no server of theirs answers for, %s, is asked of the system at once',
    async (name) => {
      const resolution = new TenantNames({ dns: dnsOf({}), system });
      void resolution.resolve('hangs.test');
      await settled();
      const found = resolution.resolve(name);
      expect(names()).toEqual(['hangs.test', name]);
      asked[1]!.answer('127.0.0.1');
      expect(await found).toEqual([{ address: '127.0.0.1', family: 4 }]);
    },
  );
});

describe('servers of names that never answer', () => {
  let server: Socket;
  let questions: number;
  let resolver: Resolver;
  beforeEach(async () => {
    questions = 0;
    server = createSocket('udp4', () => questions++);
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
  });
  afterEach(() => {
    resolver.cancel();
    server.close();
  });

  it('hold up no other name, however many there are', async () => {
    const resolution = new TenantNames({ dns: resolver, system });
    const hanging = Array.from({ length: 100 }, (_, n) =>
      resolution.resolve(`n${n}.example`).catch(() => {}),
    );
    // All are asked side by side: a thread each would have stopped after the second.
    await expect.poll(() => questions).toBeGreaterThanOrEqual(200);
    expect(names()).toEqual([]);
    resolver.cancel();
    await settled();
    expect(names()).toEqual(['n0.example']);
    void hanging;
  });
});

describe('the lookup of a guarded connection', () => {
  const look = (addresses: readonly LookupAddress[], options: { all?: boolean; family?: number }) =>
    new Promise((resolve) => {
      const lookup = guardedLookup(createAddressPolicy([]), { resolve: async () => addresses });
      lookup('a.example', options, (error, address, family) =>
        resolve(error ? { code: error.code } : { address, family }),
      );
    });
  const four = { address: '1.1.1.1', family: 4 };
  const six = { address: '2606:4700::1111', family: 6 };
  const inside = { address: '10.0.0.1', family: 4 };

  it('gives all addresses, one, or those of a family', async () => {
    expect(await look([four, six], { all: true })).toMatchObject({ address: [four, six] });
    expect(await look([four, six], {})).toEqual(four);
    expect(await look([four, six], { family: 6 })).toEqual(six);
    expect(await look([four], { family: 6 })).toEqual({ code: 'ENOTFOUND' });
    expect(await look([], { all: true })).toEqual({ code: 'ENOTFOUND' });
  });

  it('refuses a name with one private address among public ones, of whatever family is wanted', async () => {
    const refused = { code: 'egress_address_refused' };
    expect(await look([four, inside], { all: true })).toEqual(refused);
    expect(await look([inside, six], { family: 6 })).toEqual(refused);
  });
});
