import type { Clock } from '@voice/shared/clock/clock';
import { type CallPlan, type Reservation, reservation } from '@voice/shared/contracts/call-plan';
import { type CallCommand, commandReply } from '@voice/shared/contracts/worker';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { request } from 'undici';
import { z } from 'zod';

/** How long a worker may take to answer, in ms. */
const REQUEST_TIMEOUT_MS = 3000;

/** Answers that are about the plan and not about the moment; the worker's body says what is wrong. */
const PLAN_REFUSED: ReadonlySet<number> = new Set([400, 422, 502]);
const refusal = z.object({ code: z.string(), detail: z.string() });

export type ReserveOutcome =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  | { readonly kind: 'full' }
  /** The plan itself is wrong for this worker: a provider that it does not have, for example. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** No answer, or not one of a worker; `cause` says what. */
  | { readonly kind: 'unreachable'; readonly cause: unknown };

export type CommandOutcome = 'accepted' | 'already_ended' | 'not_held' | 'unreachable';

/** Speaks to the workers' command servers. Never throws: a worker that does not answer is a normal outcome. */
export class WorkerClient {
  readonly #secret: string;
  readonly #clock: Clock;

  constructor(options: { readonly secret: string; readonly clock: Clock }) {
    this.#secret = options.secret;
    this.#clock = options.clock;
  }

  async reserve(controlUrl: string, plan: CallPlan): Promise<ReserveOutcome> {
    try {
      const { status, text } = await this.#send(controlUrl, 'POST', '/control/calls', plan);
      if (status === 503) return { kind: 'full' };
      if (PLAN_REFUSED.has(status)) {
        const { code, detail } = refusal.parse(JSON.parse(text));
        return { kind: 'refused', code, message: detail };
      }
      if (status !== 201) throw new Error(`the worker answered ${status}`);
      const given = reservation.parse(JSON.parse(text));
      if (given.call_id !== plan.call_id) throw new Error('the worker reserved for another call');
      return { kind: 'reserved', reservation: given };
    } catch (cause) {
      // It may have reserved before its answer was lost; giving back what was never taken is harmless.
      // Waited for, so that it cannot overtake a later reservation of the same call.
      await this.giveBack(controlUrl, plan.call_id);
      return { kind: 'unreachable', cause };
    }
  }

  /** Gives a reservation back. Idempotent; when it fails, the worker's own deadline frees the place. */
  async giveBack(controlUrl: string, callId: string): Promise<void> {
    await this.#send(controlUrl, 'DELETE', `/control/calls/${callId}`).catch(() => {});
  }

  /** Idempotent by the command's id, so it is sent again when the answer is lost. */
  async command(controlUrl: string, callId: string, command: CallCommand): Promise<CommandOutcome> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        const path = `/control/calls/${callId}/commands`;
        const { status, text } = await this.#send(controlUrl, 'POST', path, command);
        if (status === 404) return 'not_held';
        if (status >= 200 && status < 300) return commandReply.parse(JSON.parse(text)).status;
        if (status < 500) return 'unreachable';
      } catch {
        // Tried again below.
      }
      if (attempt < 3) await this.#clock.sleep(100 * attempt);
    }
    return 'unreachable';
  }

  async #send(
    controlUrl: string,
    method: 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { statusCode: status, body: answer } = await request(controlUrl + path, {
      method,
      headers: {
        authorization: interPlaneAuthorization({
          secret: this.#secret,
          method,
          path,
          now: this.#clock.now(),
        }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status, text: await answer.text() };
  }
}
