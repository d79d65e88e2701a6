import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import { NO_TRACING } from '@voice/shared/tracing/tracer';
import mongoose from 'mongoose';
import { Registry } from 'prom-client';
import { describeApi } from '../app.js';
import { compose } from '../composition.js';
import { readConfig } from '../config.js';
import { CursorCodec } from '../platform/http/pagination.js';
import { SecretBox } from '../platform/secrets/secret-box.js';

const NOWHERE = 'mongodb://127.0.0.1:1/description';
const SECRET = 'of a process that serves nobody and ends';

/**
 * Returns the OpenAPI description of this code, as `/v1/openapi.json` serves it: composed without a store or a
 * listener.
 */
export async function describedApi(): Promise<Record<string, unknown>> {
  const config = readConfig({ MONGODB_URI: NOWHERE, INTERNAL_SECRET: SECRET, SECRETS_KEY: SECRET });
  const store = mongoose.createConnection();
  try {
    const platform = {
      config,
      clock: systemClock,
      log: silentLog,
      store,
      metrics: new Registry(),
      tracer: NO_TRACING,
      secrets: new SecretBox(SECRET),
      cursors: new CursorCodec(SECRET),
      publicUrl: () => 'https://api.voice.invalid',
      internalUrl: () => 'https://internal.voice.invalid',
    };
    return describeApi(platform, compose(platform).modules);
  } finally {
    await store.close();
  }
}
