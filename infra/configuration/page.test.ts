import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configurationPage } from './page.js';
import { declaredVariables, PROCESSES } from './schemas.js';
import type { Section } from './section.js';
import { SECTIONS } from './words.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

describe('docs/configuration.md', () => {
  it('is what the schemas of all processes say (npm run docs writes it)', async () => {
    const declared = await declaredVariables((file) => import(pathToFileURL(`${root}${file}`).href));
    expect(declared.length).toBeGreaterThan(100);
    expect(read('docs/configuration.md')).toBe(configurationPage(declared, SECTIONS));
  });

  it('leaves out no process that declares an environment', () => {
    const files = globSync(['*/src/**/*.ts', 'infra/**/*.ts'], { cwd: root })
      .filter((file) => !/(node_modules|dist)\/|\.test\.ts$/.test(file))
      .filter((file) => /^(export )?const environment = z\b/m.test(read(file)));
    expect(files.sort()).toEqual(PROCESSES.map(({ file }) => file).sort());
  });
});

describe('the page', () => {
  const load = async () => ({
    environment: z.object({
      PORT: z.coerce.number().default(8080),
      KEY: z.string(),
      URL: z.string().optional(),
      RANGES: z.string().default(''),
      PROXY: z
        .enum(['on', 'off'])
        .default('off')
        .transform((text) => text === 'on'),
      DRAIN_SECONDS: z
        .string()
        .transform((text) => Number(text) * 1000)
        .prefault('1800'),
      HANDED_ON: z.string().optional(),
    }),
  });
  const processes = [{ name: 'server', file: 'server/config.ts', internal: ['HANDED_ON'] }];
  const words: Section['variables'] = {
    PORT: 'Where it listens.',
    KEY: { default: 'made once', meaning: 'Signs.' },
    URL: 'One of http|https.',
    RANGES: 'Allowed.',
    PROXY: 'Whether it stands between.',
    DRAIN_SECONDS: 'How long it drains.',
  };
  const page = async (variables: Section['variables']) =>
    configurationPage(await declaredVariables(load, processes), [{ title: 'All', variables }]);

  it('takes defaults, and what is required, from the schema', async () => {
    expect((await page(words)).split('\n').slice(-7)).toEqual([
      '| `PORT` | `8080` | Where it listens. | server |',
      '| `KEY` | made once | Signs. | server (**required**) |',
      '| `URL` | – | One of http\\|https. | server |',
      '| `RANGES` | none | Allowed. | server |',
      '| `PROXY` | `off` | Whether it stands between. | server |',
      '| `DRAIN_SECONDS` | `1800` | How long it drains. | server |',
      '',
    ]);
  });

  it('is refused while a variable has no words', async () => {
    const { RANGES: _left, ...rest } = words;
    await expect(page(rest)).rejects.toThrow('RANGES: has no words');
  });

  it('is refused while words are of a variable that no process reads', async () => {
    await expect(page({ ...words, GONE: 'Gone.' })).rejects.toThrow('GONE: no process reads it');
  });

  it('is refused while words repeat a default that the schema holds', async () => {
    await expect(page({ ...words, PORT: { default: '`80`', meaning: 'Where.' } })).rejects.toThrow(
      'PORT: the schema holds the default',
    );
  });
});
