import type { SttOptions } from '../port.js';
import type { Dialect } from '../socket-session/dialect.js';

/** One of Deepgram's streaming protocols; the same for all connections. Pure. */
export interface DeepgramDialect extends Dialect {
  readonly path: string;
  query(options: SttOptions): URLSearchParams;
}
