import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { VendorFailure } from '../platform/vendor-http.js';
import { ensureIndexes, startTestStore, type TestStore } from '../testing/store.js';
import type { OAuthCredentials } from './adapter.js';
import { Connections } from './connections.js';
import { revocationModel } from './model.js';
import { FIRST_RETRY_MS, REVOCATION_ATTEMPTS, Revocations } from './revocations.js';

const DAY_MS = 24 * 60 * 60_000;
const tokens = (name: string): OAuthCredentials => ({
  kind: 'oauth',
  access_token: `access ${name}`,
  refresh_token: `refresh ${name}`,
  expires_at: null,
  instance_url: null,
});

let store: TestStore;
let connection: Connection;
const clock = new ScriptedClock(Date.now());
const secrets = new SecretBox('k'.repeat(32));
/** Tokens that the vendor was asked to revoke, and how it answers. */
let asked: string[];
let vendor: 'takes' | 'is away' | 'refuses';
let connections: Connections;
let revocations: Revocations;
let tenant: ReturnType<typeof newTenantId>;

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  connections = new Connections({
    store: connection,
    clock,
    secrets,
    refresh: async () => {
      throw new Error('nothing is renewed here');
    },
  });
  revocations = new Revocations({
    store: connection,
    clock,
    secrets,
    connections,
    log: silentLog,
    async revoke(_slug, { access_token }) {
      asked.push(access_token);
      if (vendor === 'is away') throw new VendorFailure('unavailable', 'out of order');
      if (vendor === 'refuses') throw new VendorFailure('refused', 'not from your address');
    },
  });
  await ensureIndexes(connection);
});
afterAll(() => store?.close());
beforeEach(async () => {
  asked = [];
  vendor = 'takes';
  tenant = newTenantId();
  await revocationModel(connection).deleteMany({});
});

const note = (account: string | null = 'ada@example.com') =>
  revocations.note(tenant, 'slack', tokens('old'), account);
const open = () => revocationModel(connection).countDocuments({});

describe('tokens that are to be revoked', () => {
  it('are forgotten once the vendor has taken them back', async () => {
    expect(await revocations.attempt(await note())).toBe('revoked');
    expect([asked, await open()]).toEqual([['access old'], 0]);
  });

  it('are kept when the vendor refuses for another reason than that it does not know them', async () => {
    vendor = 'refuses';
    expect(await revocations.attempt(await note())).toBe('pending');
    expect(await open()).toBe(1);
  });

  it('are tried again when the vendor is away: after a minute, then after twice as long each time', async () => {
    vendor = 'is away';
    expect(await revocations.attempt(await note())).toBe('pending');
    for (const waitMs of [FIRST_RETRY_MS, 2 * FIRST_RETRY_MS, 4 * FIRST_RETRY_MS]) {
      const before = asked.length;
      clock.advance(waitMs - 1);
      await revocations.sweep();
      expect(asked).toHaveLength(before);
      clock.advance(1);
      await revocations.sweep();
      expect(asked).toHaveLength(before + 1);
    }
    vendor = 'takes';
    clock.advance(8 * FIRST_RETRY_MS);
    await revocations.sweep();
    expect(await open()).toBe(0);
  });

  it(`are given up, and forgotten, after ${REVOCATION_ATTEMPTS} attempts within a day`, async () => {
    vendor = 'is away';
    const began = clock.now();
    await revocations.attempt(await note());
    while ((await open()) > 0) {
      clock.advance(FIRST_RETRY_MS);
      await revocations.sweep();
    }
    expect(asked).toHaveLength(REVOCATION_ATTEMPTS);
    expect(clock.now() - began).toBeLessThan(DAY_MS);
  });

  it('are unreadable in the store', async () => {
    await note();
    expect(JSON.stringify(await revocationModel(connection).find().lean())).not.toContain('access old');
  });

  it('are tried by one replica at a time', async () => {
    await note();
    clock.advance(FIRST_RETRY_MS);
    await Promise.all([revocations.sweep(), revocations.sweep(), revocations.sweep()]);
    expect(asked).toEqual(['access old']);
  });
});

describe('a replica that died', () => {
  // @rule 4.47
  it('before it removed the connection: the removal is completed, and the tokens are revoked', async () => {
    await connections.save(tenant, 'slack', tokens('old'), 'ada@example.com');
    await note();
    clock.advance(FIRST_RETRY_MS);
    await revocations.sweep();
    expect(await connections.find(tenant, 'slack')).toBeNull();
    expect(asked).toEqual(['access old']);
  });

  it('in each of its attempts does not try for ever', async () => {
    await note();
    await revocationModel(connection).updateMany({}, { $set: { attempts: REVOCATION_ATTEMPTS } });
    clock.advance(FIRST_RETRY_MS);
    await revocations.sweep();
    expect([asked, await open()]).toEqual([[], 0]);
  });
});

describe('when the integration was connected anew meanwhile', () => {
  const later = async (account: string) => {
    await note();
    await connections.save(tenant, 'slack', tokens('new'), account);
    clock.advance(FIRST_RETRY_MS);
    await revocations.sweep();
    expect(await connections.find(tenant, 'slack')).not.toBeNull();
    expect(await open()).toBe(0);
  };

  it('to the same account, its consent stands again: nothing is revoked', async () => {
    await later('ada@example.com');
    expect(asked).toEqual([]);
  });

  it('to another account, the tokens of the first are revoked', async () => {
    await later('bob@example.com');
    expect(asked).toEqual(['access old']);
  });
});
