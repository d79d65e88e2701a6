/** Where a server listens. */
export interface ListenAddress {
  /** An address or a name of this machine; 0.0.0.0 and :: are all of them. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Returns the URL at which a program on this machine reaches a server that listens there. */
export function urlAt({ host, port }: ListenAddress): string {
  const isEvery = host === '0.0.0.0' || host === '::';
  const name = isEvery ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
