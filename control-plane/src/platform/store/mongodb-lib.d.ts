/** Of the driver's own modules, which have no types. */
declare module 'mongodb/lib/utils.js' {
  import type { Socket } from 'node:net';

  const utils: {
    /** Resolves at the event, rejects at an error. The driver uses it for the `drain` of a socket alone. */
    once(socket: Socket, event: string, options?: object): Promise<unknown>;
  };
  export default utils;
}

declare module 'mongodb/lib/cmap/connection_pool.js' {
  interface Pool {
    options: { readonly minPoolSizeCheckFrequencyMS: number };
    /** Begins, or begins again after an error, and looks after its connections from then on. */
    ready(): void;
  }

  const pools: { readonly ConnectionPool: { readonly prototype: Pool } };
  export default pools;
}
