import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { Log } from '@voice/shared/log/log';
import { scopeOf } from '../../platform/store/tenant-scope.js';
import { heardOptOut } from './opt-out-heard.js';
import type { DncRegistry } from './registry.js';

/** What is kept of the words by which somebody asked. */
const LONGEST_QUOTE = 500;

/** What must be known of the call in which somebody speaks. */
export interface SpokenCall {
  readonly _id: string;
  readonly tenant_id: string;
  readonly sandbox: boolean;
  readonly direction: 'inbound' | 'outbound';
  readonly from_number: string;
  readonly to_number: string;
}

/** Puts callers who ask not to be called again on the tenant's do-not-call list. */
export class OptOuts {
  readonly #registry: DncRegistry;
  readonly #log: Log;

  constructor(registry: DncRegistry, log: Log) {
    this.#registry = registry;
    this.#log = log;
  }

  /** Resolves when the request is stored; the same event again changes nothing. */
  async addIfRequested(call: SpokenCall, event: CallEvent): Promise<void> {
    if (event.kind !== 'turn' || event.turn.role !== 'caller' || !heardOptOut(event.turn.text)) return;
    const number = call.direction === 'outbound' ? call.to_number : call.from_number;
    const added = await this.#registry.add(scopeOf(call), [number], {
      source: 'opt_out',
      callId: call._id,
      quote: event.turn.text.slice(0, LONGEST_QUOTE),
    });
    if (added > 0) this.#log.info({ call_id: call._id, tenant: call.tenant_id }, 'opt-out heard');
  }
}
