import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import { NO_TRACING } from '@voice/shared/tracing/tracer';
import mongoose from 'mongoose';
import { Registry } from 'prom-client';
import { compose } from '../composition.js';
import { readConfig } from '../config.js';
import { addProcessMetrics } from '../platform/health/process-metrics.js';
import { addTracingMetrics } from '../platform/health/tracing-metrics.js';
import { observe } from '../platform/http/observe.js';
import { CursorCodec } from '../platform/http/pagination.js';
import type { Platform } from '../platform/module.js';
import { SecretBox } from '../platform/secrets/secret-box.js';

const SECRET = 'of a replica that serves nobody and ends';

/** Builds what `/metrics` of a replica with a payment provider shows, of one whose store is away. */
export function exportedMetrics(): Registry {
  const config = readConfig({
    MONGODB_URI: 'mongodb://127.0.0.1:1/metrics',
    INTERNAL_SECRET: SECRET,
    SECRETS_KEY: SECRET,
    STRIPE_SECRET_KEY: 'sk_test_of_nobody',
    STRIPE_WEBHOOK_SECRET: 'whsec_b2Ygbm9ib2R5',
  });
  // As connectStore does: what asks is answered at once.
  const store = mongoose.createConnection();
  store.config.bufferCommands = false;
  const metrics = new Registry();
  addProcessMetrics(metrics);
  const platform: Platform = {
    config,
    clock: systemClock,
    log: silentLog,
    store,
    metrics,
    tracer: NO_TRACING,
    secrets: new SecretBox(SECRET),
    cursors: new CursorCodec(SECRET),
    publicUrl: () => 'https://api.voice.invalid',
    internalUrl: () => 'https://internal.voice.invalid',
  };
  addTracingMetrics(metrics, NO_TRACING);
  observe({ clock: systemClock, log: silentLog, metrics });
  compose(platform);
  return metrics;
}
