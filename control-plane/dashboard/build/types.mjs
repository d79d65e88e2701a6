import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const TARGET = fileURLToPath(new URL('../src/api/openapi.d.ts', import.meta.url));

/** Writes the API's types from the description that the built control plane gives of itself. */
export async function writeApiTypes() {
  const { describedApi } = await import('../../dist/openapi-check/described-api.js');
  const types = astToString(await openapiTypescript(structuredClone(await describedApi())));
  // Untouched where nothing changed: the type check then has nothing to do.
  if (existsSync(TARGET) && readFileSync(TARGET, 'utf8') === types) return;
  mkdirSync(dirname(TARGET), { recursive: true });
  writeFileSync(TARGET, types);
}
