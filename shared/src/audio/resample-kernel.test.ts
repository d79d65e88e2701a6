import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import wabt from 'wabt';
import { KERNEL_BASE64 } from './resample-kernel.js';

it('the kernel is its text, assembled', async () => {
  const path = fileURLToPath(new URL('resample-kernel.wat', import.meta.url));
  const { parseWat } = await wabt();
  const module = parseWat(path, readFileSync(path, 'utf8'), { simd: true });
  expect(KERNEL_BASE64).toBe(Buffer.from(module.toBinary({}).buffer).toString('base64'));
});
