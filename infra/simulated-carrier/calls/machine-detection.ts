import type { DialRequest } from '../requests/requests.js';
import type { CallbackSender } from './callbacks.js';
import type { Exchange } from './exchange.js';

/** From the answer to the detection's result, in ms. */
const DETECTION_MS = { human: 1000, machine: 2500, unknown: 5000 } as const;

export interface MachineDetectionOptions {
  /** Undefined: the dial asked for none. */
  readonly asked: DialRequest['machineDetection'];
  readonly callSid: string;
  readonly exchange: Pick<Exchange, 'accountSid' | 'clock'>;
  readonly callbacks: Pick<CallbackSender, 'send'>;
}

/** Answering-machine detection of one call: sends its result to the callback of the dial, once. */
export class MachineDetection {
  readonly #options: MachineDetectionOptions;
  #answeredBy: string | null = null;
  #onBeep = () => {};

  constructor(options: MachineDetectionOptions) {
    this.#options = options;
  }

  /** The result (`AnsweredBy`); null while there is none. */
  get answeredBy(): string | null {
    return this.#answeredBy;
  }

  /** Starts at the answer. `over` aborts at the call's end, after which nothing is sent. */
  start(answeredBy: keyof typeof DETECTION_MS, over: AbortSignal): void {
    const { asked, exchange } = this.#options;
    if (!asked) return;
    const startedAt = exchange.clock.monotonic();
    const send = (result: string) => {
      if (!over.aborted && this.#answeredBy === null) this.#send(result, startedAt);
    };
    if (answeredBy === 'machine' && asked.mode === 'DetectMessageEnd') {
      this.#onBeep = () => send('machine_end_beep');
      return;
    }
    const result = answeredBy === 'machine' ? 'machine_start' : answeredBy;
    exchange.clock
      .sleep(DETECTION_MS[answeredBy], over)
      .then(() => send(result))
      .catch(() => {});
  }

  /** Handles the beep at the end of a voicemail's greeting. */
  beep(): void {
    this.#onBeep();
  }

  #send(result: string, startedAt: number): void {
    const { asked, callbacks, callSid, exchange } = this.#options;
    if (!asked) return;
    this.#answeredBy = result;
    callbacks.send({
      ...asked,
      parameters: {
        AccountSid: exchange.accountSid,
        CallSid: callSid,
        AnsweredBy: result,
        MachineDetectionDuration: String(Math.round(exchange.clock.monotonic() - startedAt)),
      },
    });
  }
}
