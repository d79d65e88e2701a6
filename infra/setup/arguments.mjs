/**
 * What a command takes after its name: `options` of its own, which its program reads and refuses; `words` (files,
 * filters); or `nothing`.
 * @typedef {'options' | 'words' | 'nothing'} Takes
 */

/**
 * Returns the answer to arguments that need no set-up: the help of a command whose program has none, or the refusal
 * of what it does not take. Undefined where the command is to be run.
 * @param {string} name
 * @param {{ summary: string, takes: Takes, words?: string, flags?: readonly string[] }} command
 * @param {readonly string[]} args
 * @returns {{ code: number, text: string } | undefined}
 */
export function argumentsOf(name, { summary, takes, words, flags = [] }, args) {
  if (takes === 'options') return undefined;
  const typed = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
  const usage = `Usage: ${typed}${words ? ` [-- ${words}]` : ''}\n\n${summary}\n`;
  if (args.some((arg) => arg === '--help' || arg === '-h')) return { code: 0, text: usage };
  const stray = args.find((arg) => takes === 'nothing' || (arg.startsWith('-') && !flags.includes(arg)));
  if (stray === undefined) return undefined;
  return { code: 2, text: `set-up: ${typed} does not take “${stray}”.\n\n${usage}` };
}
