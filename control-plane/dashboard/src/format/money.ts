/** `$12.34`; below a dollar as many digits as keep two calls apart: `$0.0431`. Takes USD. */
export function money(usd: number): string {
  const digits = usd !== 0 && Math.abs(usd) < 1 ? 4 : 2;
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd);
}
