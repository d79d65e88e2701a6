import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packNpm } from './packages.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Installs the client in a folder as npm would, without a registry: of what would be sent, beside what it needs. */
export function installPacked(folder: string): { installed: string; paths: readonly string[] } {
  const { archive, paths } = packNpm(folder);
  const modules = join(folder, 'node_modules');
  const installed = join(modules, '@voice/client');
  mkdirSync(installed, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '--strip-components=1', '-C', installed]);
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  for (const name of ['ws', 'yaml']) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  return { installed, paths };
}
