// The one way in: `npm start`, `npm test` and every `npm run` land here. Runs on the machine's own Node
// with nothing installed, sets up what is missing, then runs what was asked for on the project's Node.
const startedAt = Date.now();
const OLDEST_NODE = 20;

/** @param {readonly string[]} typed after `npm run` */
async function main(typed) {
  const [name, ...args] = typed;
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    process.stderr.write(
      `set-up: this is Node ${process.versions.node}; Node ${OLDEST_NODE} or newer is needed to begin.\n` +
        '  Remedy: install Node 20 or 22 (https://nodejs.org, or your system’s packages) and run the same command again.\n',
    );
    return 1;
  }
  const { COMMANDS } = await import('./commands.mjs');
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (name === undefined || !command) {
    const asked = name === undefined || name === '--help' || name === '-h' || name === 'help';
    process.stderr.write(`${asked ? '' : `set-up: there is no command “${name}”.\n\n`}${usage(COMMANDS)}`);
    return asked ? 0 : 2;
  }
  const { argumentsOf } = await import('./arguments.mjs');
  const asked = argumentsOf(name, command, args);
  if (asked) {
    (asked.code === 0 ? process.stdout : process.stderr).write(asked.text);
    return asked.code;
  }
  const { install } = await import('./install.mjs');
  const { build } = await import('./build.mjs');
  const { oneAtATime } = await import('./one-at-a-time.mjs');
  await oneAtATime(async () => {
    await install();
    if (command.build) await build({ bundle: command.bundle });
  });
  return await command.run(args, startedAt);
}

/** @param {Record<string, { readonly summary: string }>} commands */
function usage(commands) {
  const lines = Object.entries(commands).map(([name, { summary }]) => {
    const typed = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
    return `  ${typed.padEnd(24)}${summary}\n`;
  });
  return `Usage:\n${lines.join('')}Options of a command follow “--”, as in: npm run key -- --help\n`;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  async (error) => {
    const { messageOf } = await import('./messages.mjs');
    process.stderr.write(`set-up: ${messageOf(error)}\n`);
    process.exitCode = error?.exitCode ?? 1;
  },
);
