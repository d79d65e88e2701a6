/** What is said of a command. */
export interface Described {
  readonly name: string;
  readonly arguments: string;
  readonly summary: string;
}

/** Returns the commands whose names begin with the words, else the one whose name the words begin with. */
export function commandsOf<Kind extends { readonly name: string }>(
  commands: readonly Kind[],
  words: readonly string[],
): Kind[] {
  const begins = (longer: readonly string[], shorter: readonly string[]) =>
    shorter.every((word, index) => longer[index] === word);
  const under = commands.filter(({ name }) => begins(name.split(' '), words));
  return under.length > 0 ? under : commands.filter(({ name }) => begins(words, name.split(' ')));
}

/** Returns the help on the commands that the words mean; on all of them where they mean none. */
export function help(commands: readonly Described[], words: readonly string[] = []): string {
  const meant = commandsOf(commands, words);
  const lines = (meant.length > 0 ? meant : commands).map((command) => ({
    usage: `voice ${command.name} ${command.arguments}`.trim(),
    summary: command.summary,
  }));
  const [only] = lines;
  if (lines.length === 1 && only) return `${only.usage}\n\n  ${only.summary}`;
  const width = Math.max(...lines.map(({ usage }) => usage.length));
  return [
    'voice: AI voice agents on the phone, from the command line',
    '',
    ...lines.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    'VOICE_API_KEY and VOICE_API_URL go before what `voice login` has kept.',
  ].join('\n');
}
