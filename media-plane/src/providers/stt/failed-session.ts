import type { ProviderError } from '../provider-error.js';
import type { SttOptions, SttSession } from './port.js';

/** Creates a session that reports its failure as every session does: by an event, after `open` has returned. */
export function failedSession(options: SttOptions, error: ProviderError): SttSession {
  const report = options.clock.schedule(0, () => options.onEvent({ type: 'failed', error }));
  return {
    audioMs: 0,
    write() {},
    voiceActivity() {},
    finalize() {},
    close: () => report.cancel(),
  };
}
