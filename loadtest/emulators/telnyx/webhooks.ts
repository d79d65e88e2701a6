import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';

/** Creates an Ed25519 key; `publicKey` is what Telnyx's portal shows: base64 of the 32 bytes. */
export function signingKey(): { privateKey: KeyObject; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: der.subarray(der.length - 32).toString('base64') };
}

/** Builds the headers of a webhook: Ed25519 over `timestamp|body`; `at` in epoch ms. */
export function signedHeaders(key: KeyObject, body: string, at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  return {
    'content-type': 'application/json',
    'telnyx-timestamp': timestamp,
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64'),
  };
}

const RETRIES = 2;
const TIMEOUT_MS = 10_000;

export interface SentWebhook {
  readonly type: string;
  readonly body: string;
  /** Of the last answer; 0 when there was none. */
  readonly status: number;
}

/** How long an event waits for its successor to overtake it, in ms. */
const OVERTAKEN_WITHIN_MS = 250;

/**
 * Sends events, each again when it was not taken (developers.telnyx.com, "Webhooks"): in their order, or, as
 * Telnyx does not exclude, in another and more than once.
 */
export class Webhooks {
  readonly sent: SentWebhook[] = [];
  /** From now on every second event overtakes the one before it, and all arrive twice. */
  disordered = false;
  #url: string | undefined;
  #last: Promise<void> = Promise.resolve();
  #overtaken: { readonly send: () => void } | undefined;

  constructor(
    private readonly key: KeyObject,
    private readonly clock: Clock,
  ) {}

  set url(url: string) {
    this.#url = url;
  }

  /** Sends an event; resolves when it is delivered. */
  event(type: string, payload: object): Promise<void> {
    const body = JSON.stringify({
      data: {
        record_type: 'event',
        event_type: type,
        id: randomUUID(),
        occurred_at: new Date(this.clock.now()).toISOString(),
        payload,
      },
      meta: { attempt: 1, delivered_to: this.#url },
    });
    return this.disordered ? this.#disorder(type, body) : this.send(type, body);
  }

  /** Sends the body once more or for the first time. */
  send(type: string, body: string): Promise<void> {
    this.#last = this.#last.then(() => this.#deliver(type, body));
    return this.#last;
  }

  #disorder(type: string, body: string): Promise<void> {
    const twice = () => this.send(type, body).then(() => this.send(type, body));
    const waiting = this.#overtaken;
    if (waiting) {
      this.#overtaken = undefined;
      const delivered = twice();
      waiting.send();
      return delivered;
    }
    return new Promise((resolve) => {
      const timer = this.clock.schedule(OVERTAKEN_WITHIN_MS, () => overtaken.send());
      const overtaken = {
        send: () => {
          timer.cancel();
          if (this.#overtaken === overtaken) this.#overtaken = undefined;
          void twice().then(resolve);
        },
      };
      this.#overtaken = overtaken;
    });
  }

  async #deliver(type: string, body: string): Promise<void> {
    let status = 0;
    for (let attempt = 0; attempt <= RETRIES && (status < 200 || status > 299) && this.#url; attempt++) {
      const headers = signedHeaders(this.key, body, this.clock.now());
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      status = await fetch(this.#url, { method: 'POST', headers, body, signal }).then(
        (answer) => answer.status,
        () => 0,
      );
    }
    this.sent.push({ type, body, status });
  }
}
