import { ended, mediaStarted } from '../../calls/testing/events.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { type DialedCall, ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';

/** How a call goes: what the carrier reports at its end, and after how many ms at least. */
export interface CallScript {
  readonly status: 'completed' | 'busy' | 'no-answer' | 'failed';
  readonly afterMs: number;
  /** The call does not end before this resolves. */
  readonly until?: Promise<void>;
}

/** The worker that says how answered calls ended, and the control plane that it says it to. */
export interface Answerers {
  readonly worker: ScriptedWorker;
  readonly plane: () => Pick<TestControlPlane, 'internal'>;
}

/**
 * A carrier whose calls are answered and end by themselves, without media. It counts the lines that are
 * in use from the moment it is asked to dial until the moment it reports the end.
 */
export class AnsweringCarrier {
  readonly lines = new Set<string>();
  most = 0;
  /** When each call was dialed, by `performance.now()`. */
  readonly dialedAt: { readonly to: string; readonly callId: string; readonly at: number }[] = [];
  #closed = false;
  script: (to: string, call: DialedCall) => CallScript = () => ({ status: 'completed', afterMs: 30 });

  private constructor(
    readonly carrier: ScriptedCarrier,
    private readonly answerers: Answerers,
  ) {
    carrier.beforeAnswer = async (call) => {
      const callId = new URL(call.form.StatusCallback!).searchParams.get('call_id')!;
      this.lines.add(callId);
      this.most = Math.max(this.most, this.lines.size);
      this.dialedAt.push({ to: call.form.To!, callId, at: performance.now() });
      void this.#live(call, callId);
    };
  }

  static async start(answerers: Answerers): Promise<AnsweringCarrier> {
    return new AnsweringCarrier(await ScriptedCarrier.start(), answerers);
  }

  get env(): Record<string, string> {
    return this.carrier.env;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.carrier.close();
  }

  async #live(call: DialedCall, callId: string): Promise<void> {
    const { status, afterMs, until } = this.script(call.form.To!, call);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (status === 'completed') {
      await this.#report(call, 'ringing');
      await this.#report(call, 'in-progress');
    }
    await Promise.all([new Promise((resolve) => setTimeout(resolve, afterMs)), until]);
    this.lines.delete(callId);
    await this.#report(call, status, status === 'completed' ? { CallDuration: '1' } : {});
    if (status === 'completed') await this.#lastWord(callId, call.sid, afterMs);
  }

  async #lastWord(callId: string, sid: string, durationMs: number): Promise<void> {
    const { worker, plane } = this.answerers;
    const events = worker.number(callId, [mediaStarted(sid), ended('caller_hangup', durationMs)]);
    while (!this.#closed) {
      const answer = await worker.send(plane() as TestControlPlane, events).catch(() => null);
      if (answer?.status === 200) {
        // Not before: a call that is missing from heartbeats for long, and of whose end nothing is known, is lost.
        worker.held.delete(callId);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Tried again while nobody listens: a carrier does not lose a callback because a replica died. */
  async #report(call: DialedCall, status: string, fields: Record<string, string> = {}): Promise<void> {
    while (!this.#closed) {
      const answer = await this.carrier.report(call, status, fields).catch(() => 0);
      if (answer >= 200 && answer < 300) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
