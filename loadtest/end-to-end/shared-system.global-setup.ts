import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { LaunchedSystem } from '../system/launched-system.js';
import type {} from './harness/shared-system.js';

/** Starts the shared system before the first of its test files, and ends it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outputFile = join(mkdtempSync(join(tmpdir(), 'voice-shared-')), 'output.log');
  // Webhooks are received on this machine.
  const system = await LaunchedSystem.start({ EGRESS_ALLOW: '127.0.0.0/8' }, outputFile);
  project.provide('sharedSystem', { dataDir: system.dataDir, outputFile });
  return () => system.stop();
}
