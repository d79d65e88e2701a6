import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { callStatus } from '@voice/shared/contracts/primitives';
import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { beforeAll, describe, expect, it } from 'vitest';
import { declaredVariables } from '../configuration/schemas.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const find = (...patterns: string[]) => globSync(patterns, { cwd: root }).sort();

/** Everything that is written for a reader. */
const PAGES = find(
  '*.md',
  'docs/**/*.md',
  'examples/*.md',
  '.github/**/*.md',
  'infra/*/README.md',
  'control-plane/*.md',
  'control-plane/src/**/README.md',
  'media-plane/src/**/README.md',
);

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The page without what stands in code blocks. */
const prose = (page: string) => page.replaceAll(/^```[\s\S]*?^```/gm, '');

/** Where a link to a heading leads, as GitHub names headings. */
const anchorsOf = (page: string) =>
  [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Links into the repository: the path from the root, and the heading. */
const linksOf = (path: string) =>
  [...prose(read(path)).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(
    ([, to = '', anchor]) => ({ to: to === '' ? path : join(dirname(path), to), anchor }),
  );

/** The folders and files of the repository that a page names in backticks, as far as no placeholder stands in them. */
const pathsIn = (page: string) =>
  [...prose(page).matchAll(/`([^`\n]+)`/g)]
    .filter(([, code]) =>
      /^(control-plane|media-plane|shared|infra|loadtest|clients|docs|examples)\/\S+$/.test(code!),
    )
    .map(([, code]) => code!.replace(/[<*{…].*/, '').replace(/:\d+$/, ''));

/** What a tool makes, and git leaves out: a clone in which it has not run yet is without. */
const isMade = (path: string) =>
  read('.gitignore')
    .split('\n')
    .includes(`${path.replace(/\/$/, '')}/`);

/** Words in capitals that the code reads as environment variables, outside of the processes' schemas. */
function readElsewhere(): string[] {
  const files = find(
    'examples/*.mjs',
    'infra/setup/*.mjs',
    'loadtest/browser/*.ts',
    'loadtest/end-to-end/guide-deployment.test.ts',
    'loadtest/system/*.ts',
    'media-plane/src/call/turn-taking/properties.test.ts',
  );
  return files.flatMap((file) => {
    const text = read(file);
    const single = [...text.matchAll(/process\.env\.([A-Z][A-Z0-9_]+)/g)].map(([, name]) => name!);
    const several = [...text.matchAll(/const \{([^}]+)\} = process\.env/g)].flatMap(([, names]) =>
      names!.match(/\b[A-Z][A-Z0-9_]+\b/g),
    );
    return [...single, ...several.filter((name) => name !== null)];
  });
}

/** Variables of the Compose file. */
const ofCompose = () =>
  [...read('infra/docker/example.env').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name!);

/** Of packages that the set-up installs, and words that are no variables. */
const OTHERS = ['NODE_ENV', 'ONNXRUNTIME_NODE_INSTALL', 'MEDIASOUP_VERSION', 'OP_MSG', 'OP_QUERY'];

/** Words of the page that look like a variable: with an underscore, or set by `NAME=`; `$NAME` is the reader's own. */
const variablesIn = (page: string) => {
  const own = new Set([...page.matchAll(/\$\{?([A-Z][A-Z0-9_]+)/g)].map(([, name]) => name!));
  const named = [...page.matchAll(/(?<![\w$/{%.?-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?!\w)/g)];
  const set = [...page.matchAll(/(?:^|[\s`(])([A-Z][A-Z0-9_]{2,})=/gm)];
  return [...named, ...set].map(([, name]) => name!).filter((name) => !own.has(name));
};

/** What a page may name as a variable. */
async function knownVariables(): Promise<ReadonlySet<string>> {
  const declared = await declaredVariables((file) => import(pathToFileURL(join(root, file)).href));
  return new Set<string>([
    ...declared.map(({ name }) => name),
    ...readElsewhere(),
    ...ofCompose(),
    ...callStatus.options,
    ...OTHERS,
  ]);
}

let known: ReadonlySet<string>;
beforeAll(async () => {
  known = await knownVariables();
});

describe.each(PAGES)('%s', (path) => {
  it('names only commands that there are', () => {
    const named = [...read(path).matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('links to nothing that is not there', () => {
    const broken = linksOf(path).filter(({ to, anchor }) => {
      if (!existsSync(join(root, to))) return true;
      return anchor !== undefined && to.endsWith('.md') && !anchorsOf(read(to)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('names only folders and files that there are, or that a tool makes', () => {
    const missing = pathsIn(read(path)).filter((named) => !existsSync(join(root, named)));
    expect(missing.filter((named) => !isMade(named))).toEqual([]);
  });

  it('names only variables that the code reads', () => {
    expect(variablesIn(read(path)).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('the README', () => {
  it('stays short: what goes deeper is in docs/', () => {
    expect(read('README.md').split('\n').length).toBeLessThan(140);
  });
});

describe('docs/README.md', () => {
  const linked = new Set(['docs/README.md', 'docs/adr/README.md'].flatMap(linksOf).map(({ to }) => to));

  it('leads to every page', () => {
    const pages = PAGES.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((path) => !linked.has(path))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');
  const foldersOf = (parent: string) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'dist' && entry.name !== 'node_modules')
      .map(({ name }) => `${name}/`);
  /** What the first column of the table under this head names. */
  const namedIn = (parent: string) => {
    const [, rows] = page.split(`| In \`${parent}\` | What is there |\n`);
    const [table] = rows!.split('\n\n');
    const first = table!.split('\n').map((row) => row.split('|')[1]!);
    return first.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  };

  it.each(['media-plane/src', 'infra'])('has every folder of %s in its table', (parent) => {
    const named = new Set(namedIn(parent));
    expect(foldersOf(parent).filter((folder) => !named.has(folder))).toEqual([]);
  });

  it.each(['control-plane/src', 'media-plane/src', 'infra'])(
    'names no folder that is not in %s',
    (parent) => {
      expect(namedIn(parent).filter((name) => !existsSync(join(root, parent, name)))).toEqual([]);
    },
  );
});

describe('docs/sandbox-and-production.md', () => {
  it('names every test number', () => {
    const rows = read('docs/sandbox-and-production.md')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    for (const { number, description } of TEST_NUMBERS) {
      expect(rows).toContainEqual(['', number, description, '']);
    }
  });
});

describe('the checks of pages', () => {
  it('see a variable by its underscore or by its value, and not a shell’s own', () => {
    expect(
      variablesIn('Set `DATA_DIR`, or PORT=0 npm start with "$API_KEY" and https://x/?SOME_NAME'),
    ).toEqual(['DATA_DIR', 'PORT']);
  });

  it('see a path of the repository, up to what stands for something else in it', () => {
    expect(
      pathsIn('`infra/gone.ts`, `shared/src/<kind>/x`, `loadtest/**`, `npm run infra/x`, `text/plain`'),
    ).toEqual(['infra/gone.ts', 'shared/src/', 'loadtest/']);
  });

  it('take for made by a tool what git leaves out, and nothing else', () => {
    expect(isMade('control-plane/dashboard/pictures')).toBe(true);
    expect(isMade('control-plane/dashboard/gone')).toBe(false);
  });

  it('name headings as GitHub does', () => {
    expect(anchorsOf('# Follow a call: `/live`\n## Who’s there, & why\n```\n# no heading\n```\n')).toEqual([
      'follow-a-call-live',
      'whos-there--why',
    ]);
  });
});
