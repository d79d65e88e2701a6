import { expect } from 'vitest';
import { type } from './typed-command.js';

interface TypedStart {
  readonly dataDir: string;
  /** What is printed must have it. */
  readonly banner: RegExp;
  /** Done on the running system, with the environment that leads its commands to it. */
  readonly ask?: (env: NodeJS.ProcessEnv) => Promise<void>;
}

/** A whole system by a command with `npm start`, up to its banner; what is asked of it; and stopped as by Ctrl-C. */
export async function startAsTyped(command: string, { dataDir, banner, ask = async () => {} }: TypedStart) {
  const env = {
    DATA_DIR: dataDir,
    PORT: '0',
    MEDIA_PORT: '0',
    // What a test would begin to build, it would not wait for.
    MEDIASOUP_BUILD: 'off',
    OPEN_BROWSER: 'false',
  };
  const running = type(command, { env });
  await running.said(/Ctrl-C drains and stops all\./);
  await ask(env).finally(running.interrupt);
  const { output } = await running.ended;
  expect(output).toMatch(banner);
  expect(output).toContain('launcher: all stopped.');
}
