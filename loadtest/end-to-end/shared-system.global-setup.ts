import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@voice/shared/listen/free-port';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startElevenLabsEmulator } from '../emulators/elevenlabs/server.js';
import { startIntegrationsEmulator } from '../emulators/integrations/server.js';
import { startStripeEmulator } from '../emulators/stripe/server.js';
import { LaunchedSystem } from '../system/launched-system.js';
import type {} from './harness/shared-system.js';
import { TENANTS_VOICE_KEY } from './harness/tenants-voice-key.js';

const STRIPE = { key: 'sk_test_x', webhookSecret: 'whsec_x', price: 'price_usage' };

interface Shared {
  readonly provided: ProvidedContext['sharedSystem'];
  stop(): Promise<void>;
}

/** Of this process: each project has modules of its own, and all of them have one system. */
const here = globalThis as typeof globalThis & { sharedSystem?: { started: Promise<Shared>; users: number } };

/** Starts the shared system before the first of its test files, and ends it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  here.sharedSystem ??= { started: start(), users: 0 };
  const mine = here.sharedSystem;
  mine.users++;
  const { provided, stop } = await mine.started;
  project.provide('sharedSystem', provided);
  return async () => {
    mine.users--;
    if (mine.users === 0) await stop();
  };
}

async function start(): Promise<Shared> {
  const outputFile = join(mkdtempSync(join(tmpdir(), 'voice-shared-')), 'output.log');
  // Vendors that the installation has no account at: tenants bring their own.
  const voices = await startElevenLabsEmulator({ apiKeys: [TENANTS_VOICE_KEY] });
  const integrations = await startIntegrationsEmulator();
  const stripe = await startStripeEmulator({ secretKey: STRIPE.key, prices: [STRIPE.price] });
  const deepgramPort = await freePort();
  const system = await LaunchedSystem.start(
    {
      // Webhooks are received on this machine.
      EGRESS_ALLOW: '127.0.0.0/8',
      ELEVENLABS_URL: `ws://127.0.0.1:${voices.port}`,
      DEEPGRAM_URL: `ws://127.0.0.1:${deepgramPort}`,
      WEBRTC_ANNOUNCED_ADDRESS: '127.0.0.1',
      ...integrations.env,
      // Who sets no payment method up may call all the same.
      BILLING: 'off',
      STRIPE_SECRET_KEY: STRIPE.key,
      STRIPE_WEBHOOK_SECRET: STRIPE.webhookSecret,
      STRIPE_PRICE_ID: STRIPE.price,
      STRIPE_API_URL: stripe.url,
    },
    outputFile,
  );
  stripe.webhook = { url: `${system.apiUrl}/internal/payments/stripe`, secret: STRIPE.webhookSecret };
  return {
    provided: { dataDir: system.dataDir, outputFile, deepgramPort },
    async stop() {
      await system.stop();
      await Promise.all([voices, integrations, stripe].map((vendor) => vendor.close()));
    },
  };
}
