import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passwordPath, readPassword, runningStoreUri, socketPath } from './access.js';

describe('access to an embedded store', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'store-access-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  it('has no password before the store has started', () => {
    expect(readPassword(dataDir)).toBeUndefined();
    expect(() => runningStoreUri({ port: 1, dataDir, database: 'voice' })).toThrow(/No embedded store/);
  });

  it('names user, password and database in the connection string', () => {
    writeFileSync(passwordPath(dataDir), 'a/b\n');
    expect(runningStoreUri({ port: 27017, dataDir, database: 'voice' })).toBe(
      'mongodb://voice:a%2Fb@127.0.0.1:27017/voice',
    );
  });

  it('is by the Unix socket where there is one, whose path drivers know by its ending', () => {
    writeFileSync(socketPath(dataDir), '');
    expect(runningStoreUri({ port: 27017, dataDir, database: 'voice' })).toBe(
      `mongodb://voice:a%2Fb@${encodeURIComponent(dataDir)}%2Fstore.sock/voice`,
    );
  });
});
