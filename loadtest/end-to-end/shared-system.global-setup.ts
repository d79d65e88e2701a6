import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startElevenLabsEmulator } from '../emulators/elevenlabs/server.js';
import { LaunchedSystem } from '../system/launched-system.js';
import type {} from './harness/shared-system.js';
import { TENANTS_VOICE_KEY } from './harness/tenants-voice-key.js';

/** Starts the shared system before the first of its test files, and ends it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outputFile = join(mkdtempSync(join(tmpdir(), 'voice-shared-')), 'output.log');
  // A vendor that the installation has no account at: tenants bring their own.
  const voices = await startElevenLabsEmulator({ apiKeys: [TENANTS_VOICE_KEY] });
  // Webhooks are received on this machine.
  const env = { EGRESS_ALLOW: '127.0.0.0/8', ELEVENLABS_URL: `ws://127.0.0.1:${voices.port}` };
  const system = await LaunchedSystem.start(env, outputFile);
  project.provide('sharedSystem', { dataDir: system.dataDir, outputFile });
  return async () => {
    await system.stop();
    await voices.close();
  };
}
