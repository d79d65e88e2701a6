import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { argumentsOf } from './arguments.mjs';
import { COMMANDS } from './commands.mjs';
import { explain, npmCi } from './install.mjs';
import { firstDifference } from './installed.mjs';
import { messageOf, Stopped } from './messages.mjs';
import { chosen, needsChromium, needsMediasoup } from './test.mjs';
import {
  afterSecondTry,
  countTests,
  countTestsBut,
  failedTests,
  sumLine,
  worthASecondTry,
} from './test-report.mjs';

const run = fileURLToPath(new URL('./run.mjs', import.meta.url));

describe('whether node_modules is what the lock file asks for', () => {
  const wanted = {
    '': { version: '1.0.0' },
    shared: { version: '1.0.0' },
    'node_modules/a': { version: '1.2.3' },
    'node_modules/for-windows': { version: '1.0.0', optional: true },
  };

  it('agrees when every needed package is there in its version', () => {
    expect(firstDifference(wanted, { 'node_modules/a': { version: '1.2.3' } })).toBeUndefined();
  });

  it.each([
    ['missing', {}],
    ['of another version', { 'node_modules/a': { version: '1.2.4' } }],
  ])('names a package that is %s', (_what, present) => {
    expect(firstDifference(wanted, present)).toBe('node_modules/a');
  });
});

describe('a failed installation', () => {
  it.each([
    ['npm error code ENOTFOUND', /registry could not be reached[\s\S]*Remedy: check the network/],
    ['npm error code ENOSPC', /disk is full[\s\S]*Remedy: free/],
    ['npm error code EUSAGE', /disagree[\s\S]*Remedy: /],
    ['something never seen', /its own words are above[\s\S]*Remedy: /],
  ])('“%s” is reported with its remedy', (output, text) => {
    expect(explain(output).message).toMatch(text);
  });
});

describe('what a test run takes in', () => {
  const keysOf = (...args: string[]) => chosen(args).suites.map(({ key }) => key);

  it('is every suite when none is named', () => {
    expect(keysOf()).toEqual(['unit', 'two-replicas', 'end-to-end']);
    expect(keysOf('campaigns')).toEqual(keysOf());
  });

  it('is the suites that are named, and of them the files that hold the other words', () => {
    expect(keysOf('two-replicas', 'campaigns')).toEqual(['two-replicas']);
    expect(chosen(['two-replicas', 'campaigns']).filters).toEqual(['campaigns']);
  });
});

describe('mediasoup’s worker', () => {
  it('is brought for a run of everything, and for one of WebRTC’s tests, but for no other', () => {
    expect(needsMediasoup([])).toBe(true);
    expect(needsMediasoup(['lines/webrtc'])).toBe(true);
    expect(needsMediasoup(['dashboard.test'])).toBe(true);
    expect(needsMediasoup(['campaigns'])).toBe(false);
  });
});

describe('the browser', () => {
  it('is brought for a run of everything, and for one of its tests, but for no other', () => {
    const needsFor = (...args: string[]) => needsChromium(chosen(args));
    expect(needsFor()).toBe(true);
    expect(needsFor('end-to-end')).toBe(true);
    expect(needsFor('dashboard.test')).toBe(true);
    expect(needsFor('unit')).toBe(false);
    expect(needsFor('campaigns')).toBe(false);
  });
});

describe('the sum of a test run', () => {
  const file = (status: string, ...tests: string[]) => named('a.test.ts', status, ...tests);
  const named = (name: string, status: string, ...tests: string[]) => ({
    name,
    status,
    assertionResults: tests.map((test, at) => ({ status: test, fullName: `test ${at}` })),
  });

  it('counts passed, failed and skipped tests', () => {
    const report = { testResults: [file('failed', 'passed', 'failed'), file('passed', 'pending', 'passed')] };
    expect(sumLine(countTests(report))).toBe('2 passed, 1 failed, 1 skipped');
  });

  it('counts a file that does not load as a failure', () => {
    expect(sumLine(countTests({ testResults: [file('failed')] }))).toBe('0 passed, 1 failed');
  });

  it('tries the files that failed once more, counts what they say then, and names what failed', () => {
    const broken = named('b.test.ts', 'failed', 'passed', 'failed');
    const first = { testResults: [named('a.test.ts', 'passed', 'passed'), broken] };
    expect(worthASecondTry(first)).toEqual(['b.test.ts']);
    expect(failedTests(first)).toEqual(['b.test.ts > test 1']);
    const again = (...tests: string[]) => countTests({ testResults: [named('b.test.ts', 'any', ...tests)] });
    expect(sumLine(afterSecondTry(first, again('passed', 'passed')))).toBe('3 passed, 0 failed');
    expect(sumLine(afterSecondTry(first, again('passed', 'failed')))).toBe('2 passed, 1 failed');
  });

  it('counts as skipped what failed by what its store cannot do, and nothing else', () => {
    const failing = (...failureMessages: string[]) => ({ status: 'failed', failureMessages });
    const assertionResults = [failing('no such command: x'), failing('expected 1 to be 2'), failing()];
    const report = { testResults: [{ name: 'a.test.ts', status: 'failed', assertionResults }] };
    expect(sumLine(countTestsBut(report, /no such command/))).toBe('0 passed, 2 failed, 1 skipped');
  });

  it('takes many failed files for what they are', () => {
    const files = Array.from({ length: 9 }, (_, at) => named(`${at}.test.ts`, 'failed', 'failed'));
    expect(worthASecondTry({ testResults: files })).toEqual([]);
  });
});

describe('a set-up that cannot go on', () => {
  it('says in a sentence what this user may not write', () => {
    const error = Object.assign(new Error('EACCES: permission denied'), {
      code: 'EACCES',
      path: '/srv/voice/.setup',
    });
    expect(messageOf(error)).toMatch(
      /^\/srv\/voice\/\.setup cannot be written by this user \(EACCES\)\.\n {2}Remedy: /,
    );
  });

  it('says in a sentence that it was stopped, and ends as programs do that a signal ended', () => {
    const stopped = new Stopped('SIGINT');
    expect([messageOf(stopped), stopped.exitCode]).toEqual([
      expect.stringMatching(/^Stopped by SIGINT /),
      130,
    ]);
  });

  it('stops npm at once on Ctrl-C, and takes that for no failure of npm', async () => {
    const sleeper = { program: process.execPath, first: ['-e', 'setInterval(() => {}, 1000)', '--'] };
    const installed = npmCi(sleeper);
    process.emit('SIGINT', 'SIGINT');
    expect(await installed).toMatchObject({ stopped: 'SIGINT' });
  });
});

/** How a program ended, and what it said. */
const ended = (program: string, option: string) =>
  new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, option], (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });

describe('the arguments of a command', () => {
  const commands = Object.entries(COMMANDS);

  it.each(commands.filter(([, { takes }]) => takes !== 'options'))(
    'npm run %s: help is shown, an unknown option refused, both before any set-up',
    (name, command) => {
      expect(argumentsOf(name, command, ['--help'])).toMatchObject({
        code: 0,
        text: expect.stringContaining(command.summary),
      });
      expect(argumentsOf(name, command, ['--bogus'])).toMatchObject({
        code: 2,
        text: expect.stringContaining('--bogus'),
      });
      expect(argumentsOf(name, command, [])).toBeUndefined();
    },
  );

  it.concurrent.each(
    commands.filter(([, { takes }]) => takes === 'options').map(([name, { entry }]) => [name, entry]),
  )(
    'npm run %s: its own program shows help and refuses an unknown option in a sentence',
    async (_name, entry) => {
      const program = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
      const asked = await ended(program, '--help');
      expect([asked.status, asked.stdout]).toEqual([0, expect.stringMatching(/\S/)]);
      const refused = await ended(program, '--bogus');
      expect(refused.status).toBeGreaterThan(0);
      expect(refused.stderr).toContain('--bogus');
      expect(refused.stderr).not.toMatch(/\n\s+at /);
    },
  );
});

describe('npm test', () => {
  it('takes --changed, and no other option', () => {
    expect(argumentsOf('test', COMMANDS.test!, ['--changed'])).toBeUndefined();
    expect(argumentsOf('test', COMMANDS.test!, ['--changes'])).toMatchObject({ code: 2 });
  });
});

describe('the command', () => {
  it('is a script of package.json, by the same name', () => {
    const { scripts } = JSON.parse(
      readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
    ) as { scripts: Record<string, string> };
    const ours = Object.entries(scripts).filter(([, text]) => text.includes('infra/setup/run.mjs'));
    expect(ours).toEqual(ours.map(([name]) => [name, `node infra/setup/run.mjs ${name}`]));
    expect(ours.map(([name]) => name).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it('lists all commands when asked for help', () => {
    const { status, stderr } = spawnSync(process.execPath, [run, '--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stderr).toContain('npm start');
  });

  it('is refused when there is none of that name', () => {
    const { status, stderr } = spawnSync(process.execPath, [run, 'constructor'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain('there is no command “constructor”');
  });
});
