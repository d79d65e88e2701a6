/** A number in [0, 1). */
export type Random = () => number;

/**
 * Returns the order in which to ask workers for a place: two at random, the one with more free places first, then two
 * of the rest, and so on. Two random choices spread load almost as well as knowing everything, without every replica
 * running to the same least loaded worker (Mitzenmacher, "The power of two choices").
 */
export function placementOrder<W extends { readonly free: number }>(
  workers: readonly W[],
  random: Random,
): W[] {
  const left = [...workers];
  const order: W[] = [];
  const draw = () => left.splice(Math.floor(random() * left.length), 1);
  while (left.length > 0) {
    order.push(...[...draw(), ...(left.length > 0 ? draw() : [])].sort((a, b) => b.free - a.free));
  }
  return order;
}
