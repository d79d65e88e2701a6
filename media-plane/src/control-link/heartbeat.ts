import type { AdjustedClock } from '@voice/shared/clock/adjusted-clock';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import {
  HEARTBEAT_INTERVAL_MS,
  type Heartbeat,
  type HeartbeatReply,
  heartbeatReply,
} from '@voice/shared/contracts/worker';
import type { Log } from '@voice/shared/log/log';
import type { ControlPlaneClient } from './control-plane-client.js';

export interface HeartbeatLoopOptions {
  readonly client: ControlPlaneClient;
  readonly clock: Clock;
  readonly log: Log;
  /** What to report now. */
  readonly report: () => Heartbeat;
  readonly onReply: (reply: HeartbeatReply) => void;
  /** Is set by the control plane's time where it differs. */
  readonly adjustable?: Pick<AdjustedClock, 'follow'>;
}

/** Reports to the control plane, every few seconds, that this worker lives and how many places are free. */
export class HeartbeatLoop {
  readonly #options: HeartbeatLoopOptions;
  #timer: Timer | undefined;
  #stopped = false;
  #inFlight: Promise<void> | undefined;
  #reachable: boolean | undefined;

  constructor(options: HeartbeatLoopOptions) {
    this.#options = options;
  }

  /** Returns whether the last heartbeat was answered; undefined before the first. */
  get reachable(): boolean | undefined {
    return this.#reachable;
  }

  start(): void {
    void this.beat();
  }

  /** Sends one now (capacity changed for good, such as by draining), then goes on at the interval. */
  async beat(): Promise<void> {
    this.#timer?.cancel();
    this.#inFlight ??= this.#send().finally(() => {
      this.#inFlight = undefined;
    });
    await this.#inFlight;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #send(): Promise<void> {
    const { clock, log, report, onReply } = this.#options;
    let intervalMs = HEARTBEAT_INTERVAL_MS;
    try {
      const reply = await this.#exchange(JSON.stringify(report()));
      intervalMs = reply.interval_ms;
      if (this.#reachable !== true) log.info({}, 'the control plane answers heartbeats');
      this.#reachable = true;
      onReply(reply);
    } catch (error) {
      if (this.#reachable !== false)
        log.warn({ error: String(error) }, 'the control plane misses heartbeats');
      this.#reachable = false;
      intervalMs = Math.min(intervalMs, 1000);
    }
    if (!this.#stopped) this.#timer = clock.schedule(intervalMs, () => void this.beat());
  }

  async #exchange(body: string): Promise<HeartbeatReply> {
    const { adjustable, log } = this.#options;
    const ask = async () => heartbeatReply.parse(await this.#report(body));
    if (!adjustable) return ask();
    const { answer, correctedMs } = await adjustable.follow(ask, ({ now }) => now);
    if (correctedMs !== 0) {
      log.warn(
        { corrected_ms: correctedMs },
        'the machine’s clock differs from the control plane’s, whose time is taken',
      );
    }
    return answer;
  }

  /** Tries each replica once, one after another, until one answers. */
  async #report(body: string): Promise<unknown> {
    const { client } = this.#options;
    for (let left = client.replicas - 1; ; left--) {
      try {
        return await client.send({
          method: 'POST',
          path: '/internal/workers/heartbeat',
          contentType: 'application/json',
          body,
          timeoutMs: HEARTBEAT_INTERVAL_MS,
        });
      } catch (error) {
        if (left === 0 || this.#stopped) throw error;
      }
    }
  }
}
