import { type ChildProcess, fork } from 'node:child_process';
import { ownProcess } from '@voice/shared/process/own-process';
import { VendorFailure } from '../../../platform/vendor-http.js';
import { MAX_PAGES } from '../bounds.js';
import type { Catalogue, FromSdk, SdkRequest, ToSdk } from './messages.js';

/** Of the heap of an SDK's process, in MB: three times what the largest takes. */
const MAX_HEAP_MB = 256;

/** Asks the vendor for what the SDK wants; the JSON of an answer of 2xx. Throws `VendorFailure`. */
export type SendForSdk = (request: SdkRequest, signal: AbortSignal) => Promise<unknown>;

/**
 * Reads a catalogue by the vendor's SDK, in a process of its own that ends with the list: loaded here, the SDK would stay
 * in memory for good. The process knows no variable of this one and opens no connection: each of its requests is sent
 * from here, by `send`.
 * @returns the pages as the SDK gives them
 * @throws VendorFailure once the signal is aborted, too
 */
export async function runSdk(
  catalogue: Catalogue,
  send: SendForSdk,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  if (signal.aborted) throw tookTooLong();
  const child = startProcess();
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.on('error', () => resolve());
  });
  const ended = new AbortController();
  const post = (message: ToSdk) => child.connected && child.send(message, () => {});
  try {
    return await new Promise<readonly unknown[]>((resolve, reject) => {
      const stop = () => reject(tookTooLong());
      signal.addEventListener('abort', stop, { once: true, signal: ended.signal });
      child.on('error', (error) => reject(sdkFailed(error)));
      child.once('exit', (code) => reject(sdkFailed(new Error(`It ended with exit code ${code}.`))));
      let requests = 0;
      child.on('message', (message: FromSdk) => {
        switch (message.type) {
          case 'request': {
            const { id, ...request } = message;
            if (++requests > MAX_PAGES) return reject(sdkFailed(new Error('It asks too much.')));
            send(request, AbortSignal.any([signal, ended.signal])).then(
              (json) => post({ type: 'answer', id, json }),
              reject,
            );
            return;
          }
          case 'listed':
            return resolve(message.pages);
          case 'failed':
            return reject(
              message.reason === 'form' ? unknownForm(message.message) : sdkFailed(message.message),
            );
        }
      });
      post({ type: 'list', ...catalogue });
    });
  } finally {
    ended.abort();
    child.kill('SIGKILL');
    await gone;
  }
}

function startProcess(): ChildProcess {
  const { entry, execArgv } = ownProcess(import.meta.url, './catalogue-process');
  try {
    return fork(entry, {
      execArgv: [...execArgv, `--max-old-space-size=${MAX_HEAP_MB}`],
      env: {},
      serialization: 'advanced',
      // What it prints could hold the key.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (error) {
    // No memory, or no more processes.
    throw sdkFailed(error);
  }
}

export function unknownForm(cause: unknown): VendorFailure {
  return new VendorFailure(
    'unavailable',
    'The vendor described its voices in a form that is not known.',
    cause,
  );
}

function tookTooLong(): VendorFailure {
  return new VendorFailure('unavailable', 'The vendor did not list its voices in time.');
}

function sdkFailed(cause: unknown): VendorFailure {
  return new VendorFailure('unavailable', "The vendor's SDK could not list its voices.", cause);
}
