/** A number in [0, 1). */
export type Random = () => number;

/**
 * Returns the order in which to ask workers for a place: two at random, the one with more free places first, then two
 * of the rest, and so on. Two random choices spread load almost as well as knowing everything, without every replica
 * running to the same least loaded worker (Mitzenmacher, "The power of two choices").
 * @param region whose workers come first, all of them before any other
 */
export function placementOrder<W extends { readonly free: number; readonly region?: string | null }>(
  workers: readonly W[],
  random: Random,
  region: string | null = null,
): W[] {
  if (region === null) return shuffled(workers, random);
  const isNear = (worker: W) => worker.region === region;
  return [
    ...shuffled(workers.filter(isNear), random),
    ...shuffled(
      workers.filter((worker) => !isNear(worker)),
      random,
    ),
  ];
}

function shuffled<W extends { readonly free: number }>(workers: readonly W[], random: Random): W[] {
  const left = [...workers];
  const order: W[] = [];
  const draw = () => left.splice(Math.floor(random() * left.length), 1);
  while (left.length > 0) {
    order.push(...[...draw(), ...(left.length > 0 ? draw() : [])].sort((a, b) => b.free - a.free));
  }
  return order;
}
