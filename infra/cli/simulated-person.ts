import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';
import { z } from 'zod';
import type { RunningCarrier } from './running-system.js';

/** The neural voice is loaded and the lines are spoken once before the call, in ms. */
const PREPARED_WITHIN_MS = 120_000;

const account = z.object({ spoke: z.array(z.string()) });

/** What the command line asks of the simulated carrier about its people. */
export class SimulatedPerson {
  constructor(
    private readonly carrier: RunningCarrier,
    private readonly behavior: SimulatedBehavior,
  ) {}

  /** Chooses the voice in which the person speaks from the next call on. */
  async speakWith(voice: 'model' | 'espeak'): Promise<void> {
    const body = new URLSearchParams({ Voice: voice });
    const response = await this.#fetch(`/simulation/people/${this.behavior}/voice`, { method: 'POST', body });
    if (response.status === 409) {
      throw new Error(
        'There is no neural voice for the simulated person. Run “npm run models”, start the system again, and try again.',
      );
    }
    if (!response.ok) {
      throw new Error(`The simulated carrier refuses: ${response.status} ${await response.text()}`);
    }
  }

  /** Fetches what the person has said in a call, word for word. */
  async spokenIn(callSid: string): Promise<string> {
    const response = await this.#fetch(`/simulation/calls/${callSid}`, {});
    if (!response.ok) {
      throw new Error(`The simulated carrier refuses: ${response.status} ${await response.text()}`);
    }
    return account.parse(await response.json()).spoke.join(' ');
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const { url, accountSid, authToken } = this.carrier;
    const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    return fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Basic ${basic}` },
      signal: AbortSignal.timeout(PREPARED_WITHIN_MS),
    });
  }
}
