import { dirname } from 'node:path/posix';

/**
 * Finds folders whose files import each other by turns. A folder and one inside it are one thing: a module and its
 * parts. Pure.
 * @param {readonly { from: string, to: string }[]} imports of files
 * @returns {string[][]} each cycle once, as the shortest way from a folder back to it
 */
export function folderCycles(imports) {
  /** @type {Map<string, Set<string>>} */
  const graph = new Map();
  for (const { from, to } of imports) {
    const [importer, imported] = [dirname(from), dirname(to)];
    if (isWithin(importer, imported) || isWithin(imported, importer)) continue;
    const known = graph.get(importer) ?? new Set();
    graph.set(importer, known.add(imported));
  }
  const cycles = [];
  const reported = new Set();
  for (const folder of [...graph.keys()].sort()) {
    const cycle = reported.has(folder) ? undefined : shortestWayBack(graph, folder);
    if (!cycle) continue;
    cycles.push(cycle);
    for (const each of cycle) reported.add(each);
  }
  return cycles;
}

/**
 * @param {string} folder
 * @param {string} other
 */
const isWithin = (folder, other) => `${folder}/`.startsWith(`${other}/`);

/**
 * @param {ReadonlyMap<string, ReadonlySet<string>>} graph
 * @param {string} start
 * @returns {string[] | undefined}
 */
function shortestWayBack(graph, start) {
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return [...way, start];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}
