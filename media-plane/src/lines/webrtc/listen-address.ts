/** Where WebRTC's port is bound, and which address browsers are given. */
export interface ListenAddress {
  readonly ip: string;
  /** In the answers' candidates in place of `ip`. */
  readonly announced: string | undefined;
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/**
 * Binds to the address that the worker's other port is bound to; a browser cannot reach "every address", so the
 * machine's first one is announced where the operator names none.
 */
export function chooseListenAddress(options: {
  /** `MEDIA_HOST` */
  readonly host: string;
  /** `WEBRTC_ANNOUNCED_ADDRESS` */
  readonly announced: string | undefined;
  /** The machine's addresses, without loopback. */
  readonly addresses: readonly string[];
}): ListenAddress {
  const { host, announced, addresses } = options;
  const ip = host === 'localhost' ? '127.0.0.1' : host;
  if (!EVERY_ADDRESS.has(ip)) return { ip, announced };
  return { ip, announced: announced ?? addresses[0] ?? '127.0.0.1' };
}
