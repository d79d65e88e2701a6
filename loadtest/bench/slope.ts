/** Returns the slope of the straight line that fits best (least squares), y per x; 0 of fewer than two points. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const x = mean((point) => point[0]);
  const y = mean((point) => point[1]);
  let products = 0;
  let squares = 0;
  for (const point of points) {
    products += (point[0] - x) * (point[1] - y);
    squares += (point[0] - x) ** 2;
  }
  return squares === 0 ? 0 : products / squares;
}
