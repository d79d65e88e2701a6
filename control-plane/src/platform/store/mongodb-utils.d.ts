/** Of the driver's own modules, which have no types. */
declare module 'mongodb/lib/utils.js' {
  import type { EventEmitter } from 'node:events';

  const utils: {
    /** Resolves at the event, rejects at an error. The driver asks it for the `drain` of a socket alone. */
    once(emitter: EventEmitter, event: string, options?: object): Promise<unknown>;
  };
  export default utils;
}
