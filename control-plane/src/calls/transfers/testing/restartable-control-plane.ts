import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import type { TestAnswer } from '../../../testing/control-plane.js';
import {
  type ControlPlaneProcess,
  startControlPlaneProcess,
} from '../../../testing/control-plane-process.js';
import { LoadBalancer } from '../../../testing/load-balancer.js';

/** A control plane in a process of its own, to be killed and started again behind the same address. */
export class RestartableControlPlane {
  readonly secret = 'an internal secret for tests';
  #serving: ControlPlaneProcess | undefined;

  private constructor(
    private readonly front: LoadBalancer,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start(
    mongodbUri: string,
    env: Readonly<Record<string, string>>,
  ): Promise<RestartableControlPlane> {
    const front = await LoadBalancer.start();
    const plane = new RestartableControlPlane(front, { MONGODB_URI: mongodbUri, ...env });
    await plane.start();
    return plane;
  }

  async start(): Promise<void> {
    const own = { PUBLIC_URL: this.front.url, INTERNAL_SECRET: this.secret };
    this.#serving = await startControlPlaneProcess({ ...own, ...this.env });
    this.front.add(this.#serving);
  }

  /** Without a word. Idempotent. */
  async kill(): Promise<void> {
    const killed = this.#serving;
    this.#serving = undefined;
    if (!killed) return;
    await killed.kill();
    this.front.remove(killed);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.front.close();
  }

  request(method: string, path: string, key: string, body?: unknown): Promise<TestAnswer> {
    return this.#send(method, path, `Bearer ${key}`, body);
  }

  internal(method: string, path: string, value?: unknown): Promise<TestAnswer> {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const signed = { secret: this.secret, method, path, body, now: Date.now() };
    return this.#send(method, path, interPlaneAuthorization(signed), value);
  }

  async #send(method: string, path: string, authorization: string, body?: unknown): Promise<TestAnswer> {
    const response = await fetch(this.front.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, json };
  }
}
