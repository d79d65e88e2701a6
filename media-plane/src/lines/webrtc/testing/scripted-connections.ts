import type { WebRtcRoom } from '../host.js';
import type { ConnectionState } from '../peer-connection.js';
import type { SessionConnection, WebRtcSessionOptions } from '../session.js';

type Opened = Parameters<WebRtcSessionOptions['openConnection']>[0];

/** Stands in for a connection and does what the test says. */
class ScriptedConnection implements SessionConnection {
  readonly sent: string[] = [];
  answers = 0;
  state: ConnectionState = 'connecting';
  readonly #options: Opened;

  constructor(
    readonly id: string,
    options: Opened,
  ) {
    this.#options = options;
  }

  async answer(): Promise<string> {
    this.answers += 1;
    return `answer ${this.answers} of ${this.id}`;
  }

  sendRtp(packet: Uint8Array): void {
    this.sent.push(Buffer.from(packet).toString());
  }

  async figures() {
    return { roundTripMs: 12, sentBitsPerSecond: 32_000, receivedBitsPerSecond: 24_000 };
  }

  close(): void {
    this.become('closed');
  }

  become(state: Exclude<ConnectionState, 'connecting'>): void {
    if (this.state === state || this.state === 'closed') return;
    this.state = state;
    this.#options.onState(state);
  }

  receive(payload: string): void {
    this.#options.onRtp(Buffer.from(payload));
  }
}

/** Opens scripted connections `pc-1`, `pc-2`, … */
export function scriptedConnections() {
  const opened: ScriptedConnection[] = [];
  const openConnection: WebRtcSessionOptions['openConnection'] = async (options) => {
    const connection = new ScriptedConnection(`pc-${opened.length + 1}`, options);
    opened.push(connection);
    return connection;
  };
  /** Scripted connections have no use for mediasoup's objects. */
  const host = { room: async () => ({}) as WebRtcRoom };
  return { opened, openConnection, host };
}
