import { standbyMessage } from './standby-message.js';

/**
 * Preloaded (`--import`) into a process that is to start fast later on: loads the packages that it is sent, which takes
 * half of its start, and has its program wait for `go`. Ends with its parent.
 */
const parentGone = () => process.exit(0);
process.once('disconnect', parentGone);
await new Promise<void>((go) => {
  let loaded: Promise<unknown> = Promise.resolve();
  process.on('message', function onMessage(message) {
    const { data } = standbyMessage.safeParse(message);
    if (data?.type === 'load') {
      // One that cannot be loaded from here is loaded by who needs it.
      for (const name of data.packages) loaded = loaded.then(() => import(name)).catch(() => undefined);
    } else if (data?.type === 'go') {
      process.off('message', onMessage);
      void loaded.then(() => go());
    }
  });
});
process.off('disconnect', parentGone);
