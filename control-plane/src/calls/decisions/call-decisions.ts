import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type ExplainedCall, MOST_LOG_BYTES } from '@voice/shared/contracts/decisions';
import { apiError } from '../../platform/http/error-codes.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { WorkerRegistry } from '../../workers/registry.js';
import type { WorkerClient } from '../../workers/worker-client.js';
import type { CallsService } from '../calls-service.js';
import type { CallUploads } from '../post-call/uploads.js';

/** Workers that are asked before the caller is. */
const MOST_ASKED = 3;

const zip = promisify(gzip);

export interface CallDecisionsOptions {
  readonly calls: Pick<CallsService, 'require'>;
  readonly uploads: Pick<CallUploads, 'openDecisionLog'>;
  readonly registry: Pick<WorkerRegistry, 'reporting'>;
  readonly client: Pick<WorkerClient, 'explain'>;
}

/**
 * Why an agent spoke, waited or fell silent: a call's decision log in plain words. The rules are the workers', so one of
 * them explains it, and runs it through its own rules, which are today's.
 */
export class CallDecisions {
  readonly #options: CallDecisionsOptions;

  constructor(options: CallDecisionsOptions) {
    this.#options = options;
  }

  /**
   * Throws `call_not_found`, `decision_log_not_found`, `decision_log_unreadable`, and `worker_unreachable` where no
   * worker answers.
   */
  async of(scope: TenantScope, callId: string): Promise<ExplainedCall> {
    const { calls, uploads, registry, client } = this.#options;
    const call = await calls.require(scope, callId);
    if (call.erasing_at) throw apiError('decision_log_not_found');
    const log = await compressed(await uploads.openDecisionLog(callId));
    const workers = [...(await registry.reporting())].sort((a, b) => b.free - a.free).slice(0, MOST_ASKED);
    for (const { control_url } of workers) {
      const outcome = await client.explain(control_url, log);
      if (outcome.kind === 'explained') return outcome.call;
      if (outcome.kind === 'unreadable') throw apiError('decision_log_unreadable', outcome.message);
    }
    throw apiError('worker_unreachable', 'No media worker can explain the call now; try again.');
  }
}

/** Reads a log as workers take it. */
async function compressed(log: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of log as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_LOG_BYTES) {
      throw apiError('decision_log_unreadable', `The decision log is over ${MOST_LOG_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return zip(Buffer.concat(chunks));
}
