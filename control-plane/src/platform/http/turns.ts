import { setImmediate } from 'node:timers/promises';

/** Lets the process serve other requests, before a long piece of work goes on. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
}

/** Goes through many items and gives others their turn after each `batch` of them. */
export async function* inTurns<T>(items: Iterable<T>, batch: number): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    if (++count % batch === 0) await nextTurn();
    yield item;
  }
}
