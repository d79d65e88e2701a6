import { createHmac } from 'node:crypto';
import { fetchText } from '@voice/shared/abort/fetch-text';
import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';

/** How long an answer may take, in ms (Twilio's read time-out for webhooks). */
const TIMEOUT_MS = 15_000;
/**
 * Waits before another try, in ms. Twilio tries failed status callbacks again; how often is its account's setting.
 */
const RETRY_AFTER_MS = [500, 2000, 5000];

export interface Callback {
  readonly url: string;
  readonly method: 'POST' | 'GET';
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Computes `X-Twilio-Signature`: HMAC-SHA1 with the auth token over the whole URL and, for a form, its parameters
 * sorted by name, names and values joined (twilio.com/docs/usage/security).
 */
export function callbackSignature(
  authToken: string,
  url: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const signed = Object.keys(parameters)
    .sort()
    .reduce((text, name) => text + name + parameters[name], url);
  return createHmac('sha1', authToken).update(signed, 'utf8').digest('base64');
}

export interface CallbackSenderOptions {
  /** Signs them. */
  readonly authToken: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends what is under way, and sends nothing more. */
  readonly signal: AbortSignal;
}

/** Delivers one call's callbacks in their order, each tried again when it could not be delivered. */
export class CallbackSender {
  readonly #options: CallbackSenderOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: CallbackSenderOptions) {
    this.#options = options;
  }

  send(callback: Callback): void {
    this.#last = this.#last.then(() => this.#deliver(callback));
  }

  /** Resolves when all that was sent so far is delivered or given up. */
  get idle(): Promise<void> {
    return this.#last;
  }

  async #deliver(callback: Callback): Promise<void> {
    for (let attempt = 0; !this.#options.signal.aborted; attempt++) {
      const problem = await this.#attempt(callback);
      if (problem === undefined) return;
      const wait = RETRY_AFTER_MS[attempt];
      this.#options.log.warn({ url: callback.url, attempt, problem }, 'callback not delivered');
      // A refusal is an answer: Twilio only tries again what was not answered or failed at the server.
      if (wait === undefined || problem.startsWith('HTTP 4')) return;
      await this.#options.clock.sleep(wait, this.#options.signal).catch(() => {});
    }
  }

  /** Tries once; gives what went wrong, if anything. */
  async #attempt({ url, method, parameters }: Callback): Promise<string | undefined> {
    const target = new URL(url);
    if (method === 'GET')
      for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
    const signature =
      method === 'GET'
        ? callbackSignature(this.#options.authToken, target.href, {})
        : callbackSignature(this.#options.authToken, url, parameters);
    const headers: Record<string, string> = {
      'x-twilio-signature': signature,
      'user-agent': 'TwilioProxy/1.1',
    };
    if (method === 'POST') headers['content-type'] = 'application/x-www-form-urlencoded; charset=utf-8';
    try {
      const body = method === 'POST' ? new URLSearchParams(parameters).toString() : undefined;
      const ends = { signals: [this.#options.signal], timeoutMs: TIMEOUT_MS };
      const { status } = await fetchText(target, { method, headers, body, redirect: 'manual' }, ends);
      return status < 400 ? undefined : `HTTP ${status}`;
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return String(cause);
    }
  }
}
