import type { AdjustedClock } from '@voice/shared/clock/adjusted-clock';
import type { Log } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';

/** How often a replica compares its clock with the store's, in ms. */
const COMPARE_EVERY_MS = 10_000;

/** Reads the store's clock. Epoch ms. */
export async function storeTime(store: Connection): Promise<number> {
  const answer = await store.db?.admin().command({ hello: 1 });
  if (!(answer?.localTime instanceof Date)) throw new Error('the store does not say its time');
  return answer.localTime.getTime();
}

/**
 * Lets a replica's clock follow the store's: leases and heartbeats that one replica writes are judged by another, on a
 * machine whose clock may be wrong. Resolves when it has been compared once.
 */
export async function followStoreTime(
  clock: AdjustedClock,
  { store, log }: { readonly store: Connection; readonly log: Log },
): Promise<{ stop(): void }> {
  let stopped = false;
  let timer: { cancel(): void } | undefined;
  const compare = async () => {
    try {
      const { correctedMs } = await clock.follow(
        () => storeTime(store),
        (time) => time,
      );
      if (correctedMs !== 0) {
        log.warn(
          { corrected_ms: correctedMs },
          'the machine’s clock differs from the store’s, whose time is taken',
        );
      }
    } catch (error) {
      log.debug({ error: String(error) }, 'the store’s time could not be read');
    }
    if (!stopped) timer = clock.schedule(COMPARE_EVERY_MS, () => void compare());
  };
  await compare();
  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
