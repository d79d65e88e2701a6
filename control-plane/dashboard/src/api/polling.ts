/**
 * How often a list is read again of which pages are loaded, in ms: all of them are asked for each time, so the more
 * there are, the seldomer. It asks for one page every `ms`, however far somebody has scrolled. Pure.
 */
export const pagesPollMs = (ms: number, data: { readonly pages: readonly unknown[] } | undefined): number =>
  ms * Math.max(1, data?.pages.length ?? 1);
