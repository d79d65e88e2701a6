/** What a ride costs: a small module with tests, one of whose mutants they do not notice. `km` is the distance. */
export function fare(km: number, isAtNight: boolean): number {
  if (km <= 0) throw new Error('no_distance');
  let sum = isAtNight ? 5 : 3;
  for (let left = km; left > 2; left -= 2) sum += 1;
  return sum;
}
