import type { LoopGuard, Mutation } from './mutations.js';

/** A mutation that can be switched on by its id. */
export interface Mutant extends Mutation {
  readonly id: number;
}

/** In the mutated module: whether the mutant of this id is switched on. */
export const SWITCH = '__mutant';
/** In the mutated module: counts the rounds of loops, and throws where there are too many. */
export const GUARD = '__mutantLoop';

interface Site {
  readonly start: number;
  readonly end: number;
  readonly mutants: readonly Mutant[];
  readonly isGuarded: boolean;
}

/**
 * Returns a source that holds all mutants at once, each behind its switch, so that one transform serves every one of
 * them ("mutant schemata"). With none switched on it does what the source did. Pure.
 */
export function withSwitches(
  source: string,
  mutants: readonly Mutant[],
  loopGuards: readonly LoopGuard[],
): string {
  const sites = sitesOf(mutants, loopGuards);
  let next = 0;
  const render = (start: number, end: number): string => {
    let text = '';
    let at = start;
    while (next < sites.length && sites[next]!.start < end) {
      const site = sites[next++]!;
      text += source.slice(at, site.start) + switched(site, render(site.start, site.end));
      at = site.end;
    }
    return text + source.slice(at, end);
  };
  return render(0, source.length);
}

/** By place, the outer before the inner; those of one place together. */
function sitesOf(mutants: readonly Mutant[], loopGuards: readonly LoopGuard[]): Site[] {
  const sites = new Map<string, { start: number; end: number; mutants: Mutant[]; isGuarded: boolean }>();
  const at = (start: number, end: number) => {
    const key = `${start}-${end}`;
    const site = sites.get(key) ?? { start, end, mutants: [], isGuarded: false };
    sites.set(key, site);
    return site;
  };
  for (const mutant of mutants) at(mutant.start, mutant.end).mutants.push(mutant);
  for (const { start, end } of loopGuards) at(start, end).isGuarded = true;
  return [...sites.values()].sort((a, b) => a.start - b.start || b.end - a.end);
}

function switched({ start, end, mutants, isGuarded }: Site, original: string): string {
  if (start === end) return ` ${GUARD}();`;
  if (mutants.some(({ target }) => target === 'statement')) {
    const isOn = mutants.map(({ id }) => `${SWITCH}(${id})`).join(' || ');
    return `{ if (!(${isOn})) { ${original} } }`;
  }
  const choices = mutants.map(({ id, replacement }) => `${SWITCH}(${id}) ? (${replacement}) : `).join('');
  const expression = choices === '' ? original : `(${choices}${original})`;
  return isGuarded ? `(${GUARD}(), ${expression})` : expression;
}
