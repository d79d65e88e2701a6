import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const GUIDE = readFileSync(fileURLToPath(new URL('../../docs/webhooks.md', import.meta.url)), 'utf8');
const SECRET = 'whsec_of_a_test';
const BODY = '{"event_type":"call.completed","note":"größer als 😀"}';

/** The guide's code in a language. */
const sample = (language: string) =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(GUIDE)![1]!;

interface Language {
  readonly name: string;
  readonly fence: string;
  /** What says that the machine has it. */
  readonly probe: readonly [string, ...string[]];
  /** The files of a program that reads lines of `header TAB secret`, and prints true or false for each. */
  readonly files: (code: string) => Readonly<Record<string, string>>;
  readonly run: readonly [string, ...string[]];
  /** Compilers take seconds: only `npm run test:clients` and `npm run test:all` wait for them. */
  readonly slow?: boolean;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'JavaScript',
    fence: 'js',
    probe: [process.execPath, '--version'],
    files: (code) => ({
      'verify.mjs': code,
      'main.mjs': `import { readFileSync } from 'node:fs';
import { isGenuine } from './verify.mjs';
const body = readFileSync('body');
for (const line of readFileSync(0, 'utf8').split('\\n')) console.log(isGenuine(body, ...line.split('\\t')));`,
    }),
    run: [process.execPath, 'main.mjs'],
  },
  {
    name: 'Python',
    fence: 'python',
    probe: ['python3', '--version'],
    files: (code) => ({
      'main.py': `${code}
import sys
body = open("body", "rb").read()
for line in sys.stdin.read().split("\\n"):
    print("true" if is_genuine(body, *line.split("\\t")) else "false")`,
    }),
    run: ['python3', 'main.py'],
  },
  {
    name: 'Go',
    fence: 'go',
    probe: ['go', 'version'],
    files: (code) => ({
      'go.mod': 'module example\n\ngo 1.21\n',
      'verify.go': code,
      'main.go': `package main

import ("bufio"; "fmt"; "os"; "strings")

func main() {
	body, _ := os.ReadFile("body")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\\t")
		fmt.Println(IsGenuine(body, parts[0], parts[1]))
	}
}`,
    }),
    run: ['go', 'run', '.'],
    slow: true,
  },
  {
    name: 'Java',
    fence: 'java',
    probe: ['java', '-version'],
    files: (code) => ({
      // The class that is run stands first.
      'Main.java': `${code.slice(0, code.indexOf('class '))}
import java.nio.file.*;
class Main {
    public static void main(String[] args) throws Exception {
        var body = Files.readAllBytes(Path.of("body"));
        for (var line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
            var parts = line.split("\\t", -1);
            System.out.println(Webhooks.isGenuine(body, parts[0], parts[1]));
        }
    }
}
${code.slice(code.indexOf('class '))}`,
    }),
    run: ['java', 'Main.java'],
    slow: true,
  },
];

const now = Math.floor(Date.now() / 1000);
const signed = (time: number | string, { secret = SECRET, body = BODY } = {}) =>
  `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;

/** Each: what it shows, the header, the secret, and whether it is genuine. */
const CASES = [
  ['what was signed now', signed(now), SECRET, true],
  ['what was signed within 300 s', signed(now - 200), SECRET, true],
  ['what was signed long ago', signed(now - 400), SECRET, false],
  ['what is of the future', signed(now + 400), SECRET, false],
  ['another secret', signed(now, { secret: 'whsec_other' }), SECRET, false],
  ['another body', signed(now, { body: '{}' }), SECRET, false],
  ['no header', '', SECRET, false],
  ['a header of another form', `v1=${'0'.repeat(64)}`, SECRET, false],
  ['a signature that is too short', `t=${now},v1=00`, SECRET, false],
] as const;

/** Whether the machine can run it, and is meant to; says aloud where not. */
function runs({ name, probe: [command, ...args], slow = false }: Language): boolean {
  if (slow && process.env.EACH_TEST === 'once') {
    console.warn(`!!! the guide’s ${name} is SKIPPED here: npm run test:clients runs it`);
    return false;
  }
  if (spawnSync(command, args).status === 0) return true;
  console.warn(`!!! no ${command}: the guide’s ${name} is SKIPPED`);
  return false;
}

describe.each(LANGUAGES.map((language) => ({ ...language, here: runs(language) })))(
  'docs/webhooks.md: $name',
  ({ here, fence, files, run: [command, ...args] }) => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'voice-guide-'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.runIf(here)('takes what is genuine, and nothing else', () => {
      writeFileSync(join(folder, 'body'), BODY);
      for (const [file, text] of Object.entries(files(sample(fence))))
        writeFileSync(join(folder, file), text);
      const input = CASES.map(([, header, secret]) => `${header}\t${secret}`).join('\n');
      const { stdout, stderr } = spawnSync(command, args, { cwd: folder, input, encoding: 'utf8' });
      const answers = stdout.trim().split('\n');
      expect(
        CASES.map(([name], n) => [name, answers[n]]),
        stderr,
      ).toEqual(CASES.map(([name, , , genuine]) => [name, String(genuine)]));
    });
  },
);
