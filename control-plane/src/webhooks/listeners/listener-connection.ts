import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { deliveryHeaders } from '../deliveries/delivery-headers.js';
import { Lane } from '../deliveries/lane.js';
import { SEND_TIMEOUT_MS } from '../deliveries/sender.js';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';
import type { ListenerEventRow } from './listener-event-model.js';
import type { ListenerLease } from './listener-leases.js';
import {
  type DeliveryMessage,
  LISTENER_CLOSE,
  parseResult,
  type ReadyMessage,
  type ResultMessage,
} from './listener-messages.js';

/** What a receiver behind a listener has to answer, and the way to it and back, in ms. */
export const ANSWER_WITHIN_MS = SEND_TIMEOUT_MS + 5000;
/** How long a connection that is closed may take to take it, in ms. */
const CLOSE_WITHIN_MS = 1000;

/** An event that waits for this listener, with its body. */
interface WaitingDelivery {
  readonly row: ListenerEventRow;
  readonly body: string;
}

/** How a delivery to a listener went. */
export type ListenerOutcome = 'succeeded' | 'failed' | 'unanswered';

interface ListenerConnectionOptions {
  readonly listener: SubscriptionRow;
  readonly lease: ListenerLease;
  readonly secret: string;
  readonly socket: WebSocket;
  readonly headerPrefix: string;
  readonly clock: Clock;
  /** The listener has answered, or has not in time. */
  readonly onOutcome: (rowId: string, outcome: ListenerOutcome) => void;
  /** It is closed; `held` are the rows that were taken and not answered. */
  readonly onClosed: (code: number, held: readonly string[]) => void;
}

/**
 * The connection of a listener at this replica: a few deliveries under way at a time, those of one call one after
 * another, as a receiver over HTTP gets them. Nothing is tried again.
 */
export class ListenerConnection {
  readonly #options: ListenerConnectionOptions;
  readonly #lane = new Lane<WaitingDelivery>(({ row }) => row.subject);
  readonly #underWay = new Map<string, { readonly delivery: WaitingDelivery; readonly timer: Timer }>();
  #closing: Timer | undefined;
  #isOver = false;
  #answersPing = true;

  constructor(options: ListenerConnectionOptions) {
    this.#options = options;
    const { socket } = options;
    socket.on('pong', () => {
      this.#answersPing = true;
    });
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? '' : String(data)));
    socket.once('close', (code) => this.#ended(code));
  }

  get lease(): ListenerLease {
    return this.#options.lease;
  }

  /** How many more deliveries to take. */
  get room(): number {
    return this.#isOver ? 0 : this.#lane.room;
  }

  begin(): void {
    const { listener, secret } = this.#options;
    const { _id: listener_id, event_types, sandbox } = listener;
    this.#send({ type: 'ready', listener_id, secret, event_types, sandbox });
  }

  take(delivery: WaitingDelivery): void {
    this.#lane.add(delivery);
    this.#advance();
  }

  /** Asks whether the other side is still there, and gives up a connection that did not answer the last time. */
  beat(): void {
    if (!this.#answersPing) {
      this.#options.socket.terminate();
      return;
    }
    this.#answersPing = false;
    this.#options.socket.ping();
  }

  /** Closes it from this side. Idempotent. */
  close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { socket, clock } = this.#options;
    this.#closing = clock.schedule(CLOSE_WITHIN_MS, () => socket.terminate());
    socket.close(code, reason);
  }

  #advance(): void {
    for (;;) {
      const delivery = this.#isOver ? undefined : this.#lane.next();
      if (!delivery) return;
      const { secret, headerPrefix, clock } = this.#options;
      const { row, body } = delivery;
      const timer = clock.schedule(ANSWER_WITHIN_MS, () => this.#settle(row._id, 'unanswered'));
      this.#underWay.set(row._id, { delivery, timer });
      this.#send({
        type: 'delivery',
        id: row._id,
        event_id: row.event_id,
        event_type: row.event_type,
        headers: deliveryHeaders({
          headerPrefix,
          secret,
          body,
          eventId: row.event_id,
          eventType: row.event_type,
          now: clock.now(),
        }),
        body,
      });
    }
  }

  #receive(text: string): void {
    const result = parseResult(text);
    if (result) this.#settle(result.id, outcomeOf(result));
    else this.close(LISTENER_CLOSE.refused, 'a listener sends results alone');
  }

  /** What was not under way was answered too late, and counts as unanswered already. */
  #settle(rowId: string, outcome: ListenerOutcome): void {
    const known = this.#underWay.get(rowId);
    if (!known) return;
    known.timer.cancel();
    this.#underWay.delete(rowId);
    this.#lane.finished(known.delivery, outcome === 'succeeded' ? 'ok' : 'failed');
    this.#options.onOutcome(rowId, outcome);
    this.#advance();
  }

  #ended(code: number): void {
    this.#isOver = true;
    this.#closing?.cancel();
    for (const { timer } of this.#underWay.values()) timer.cancel();
    const held = [...this.#underWay.keys(), ...this.#lane.drain().map(({ row }) => row._id)];
    this.#underWay.clear();
    this.#options.onClosed(code, held);
  }

  #send(message: ReadyMessage | DeliveryMessage): void {
    this.#options.socket.send(JSON.stringify(message), () => {});
  }
}

/** Returns how a delivery went by what the listener says of it. Pure. */
function outcomeOf({ status }: ResultMessage): ListenerOutcome {
  return status !== undefined && status >= 200 && status < 300 ? 'succeeded' : 'failed';
}
