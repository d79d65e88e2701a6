import type { TemplatedApp } from 'uWebSockets.js';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type ExplainedCall, MOST_LOG_BYTES } from '@voice/shared/contracts/decisions';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { explainLog } from '../call/turn-taking/explained-log.js';
import { DecisionLogError } from '../call/turn-taking/recorded-decisions.js';
import { signed } from './inter-plane.js';
import { handle } from './responses.js';

/** Logs that are explained at a time: live calls come first, and each gives way to them every millisecond. */
const MOST_AT_ONCE = 2;
const NEWLINE = 10;

const unzip = promisify(gunzip);

/**
 * Adds `POST /control/decisions`: explains a decision log (NDJSON, gzip) in plain words and runs it through this
 * worker's rules, which are today's.
 */
export function addExplainRoute(
  app: TemplatedApp,
  {
    verifier,
    onError,
  }: { readonly verifier: InterPlaneVerifier; readonly onError: (error: unknown) => void },
): void {
  let running = 0;
  app.post(
    '/control/decisions',
    handle(
      0,
      signed(verifier, async ({ body }) => {
        if (running >= MOST_AT_ONCE) {
          throw new ServiceError({
            code: 'worker_busy',
            status: 503,
            message: 'This worker explains other calls. Try again.',
          });
        }
        running += 1;
        try {
          return { status: 200, body: await explained(body) };
        } finally {
          running -= 1;
        }
      }),
      onError,
    ),
  );
}

async function explained(compressed: Buffer): Promise<ExplainedCall> {
  try {
    const log = await unzip(compressed, { maxOutputLength: MOST_LOG_BYTES });
    const steps = explainLog(linesOf(log));
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      await new Promise(setImmediate);
    }
  } catch (error) {
    const isUnreadable = error instanceof DecisionLogError || isZlibError(error);
    if (!isUnreadable) throw error;
    throw new ServiceError({
      code: 'decision_log_unreadable',
      status: 422,
      message: error.message,
      cause: error,
    });
  }
}

/** `Z_…` of what is not compressed as it should be, `ERR_BUFFER_TOO_LARGE` of what is too long. */
function isZlibError(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE';
}

/** Reads lines one at a time: a long log is not made to text as a whole. */
function* linesOf(log: Buffer): Generator<string> {
  for (let from = 0; from < log.length; ) {
    const end = log.indexOf(NEWLINE, from);
    const until = end === -1 ? log.length : end;
    yield log.toString('utf8', from, until);
    from = until + 1;
  }
}
