import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SimulatedBehavior, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { z } from 'zod';
import type { RunningSystem } from '../../system/launched-system.js';

const account = z.object({ sid: z.string(), status: z.string(), said: z.array(z.string()) });
export type CarrierAccount = z.infer<typeof account>;
const messages = z.array(z.object({ body: z.string() }));
const secrets = z.object({
  simulated_carrier_account_sid: z.string(),
  simulated_carrier_auth_token: z.string(),
});

/** The far end of the simulated carrier: who is behind a test number, calling. */
export class SimulatedLine {
  readonly #simulation: string;
  readonly #url: string;
  readonly #authorization: string;

  constructor(system: RunningSystem) {
    const kept = secrets.parse(JSON.parse(readFileSync(join(system.dataDir, 'secrets.json'), 'utf8')));
    const { simulated_carrier_account_sid: sid, simulated_carrier_auth_token: token } = kept;
    this.#simulation = `http://127.0.0.1:${system.process('carrier').port}/simulation`;
    this.#url = `${this.#simulation}/calls`;
    this.#authorization = `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`;
  }

  /** The person calls the number, perhaps over another network than all; the SID at the carrier. */
  async call(person: SimulatedBehavior, to: string, network?: 'mobile' | 'bad'): Promise<string> {
    const from = TEST_NUMBERS.find(({ behavior }) => behavior === person)!.number;
    const body = new URLSearchParams({ From: from, To: to, ...(network ? { Network: network } : {}) });
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: { authorization: this.#authorization },
      body,
    });
    if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
    return z.object({ sid: z.string() }).parse(await answer.json()).sid;
  }

  /** The carrier's account of the call once it is over. */
  async ended(sid: string, withinMs: number): Promise<CarrierAccount> {
    for (const until = performance.now() + withinMs; ; await sleep(200)) {
      const answer = await fetch(`${this.#url}/${sid}`, { headers: { authorization: this.#authorization } });
      const call = account.parse(await answer.json());
      if (call.status === 'completed' || call.status === 'failed') return call;
      if (performance.now() > until) throw new Error(`still ${call.status} after ${withinMs} ms`);
    }
  }

  /** The newest text message that came to the number. */
  async message(to: string): Promise<string> {
    const answer = await fetch(`${this.#simulation}/messages?${new URLSearchParams({ To: to })}`, {
      headers: { authorization: this.#authorization },
    });
    const [newest] = messages.parse(await answer.json());
    if (newest === undefined) throw new Error(`no message came to ${to}`);
    return newest.body;
  }
}
