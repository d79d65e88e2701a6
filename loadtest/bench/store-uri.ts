import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a client reaches an embedded store that runs on this directory: with the password that it has made there. */
export function storeUri(port: number, dataDir: string, database: string): string {
  const password = readFileSync(join(dataDir, 'password'), 'utf8').trim();
  return `mongodb://voice:${password}@127.0.0.1:${port}/${database}`;
}
