import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentResponse } from '../generated/types.js';
import { differences, keepId, readAgentFiles, writeAgentFiles } from './agent-files.js';
import { credentialsPath, forgetCredentials, keepCredentials, readCredentials } from './settings.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voice-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const agent = (id: string, name: string, more: object = {}) =>
  ({
    id,
    name,
    system_prompt: 'Be kind.\nBe brief.',
    recording: { enabled: true },
    created_at: '2026-01-05T00:00:00Z',
    ...more,
  }) as unknown as AgentResponse;

describe('agents as files', () => {
  it('come back as they were written, without what nobody sets', () => {
    const [path] = writeAgentFiles(folder, [agent('a-1', 'Front Desk')]);
    expect(path).toBe(join(folder, 'front-desk.yaml'));
    const [file] = readAgentFiles(folder);
    expect(file).toMatchObject({ id: 'a-1', settings: { name: 'Front Desk', recording: { enabled: true } } });
    expect(file?.settings).not.toHaveProperty('created_at');
    expect(writeAgentFiles(folder, [agent('a-1', 'Front Desk')])).toEqual([]);
  });

  it('keep their file when they are renamed, and share none', () => {
    writeAgentFiles(folder, [agent('a-1', 'Desk'), agent('a-2', 'Desk')]);
    expect(writeAgentFiles(folder, [agent('a-1', 'Night desk')])).toEqual([join(folder, 'desk.yaml')]);
    expect(readAgentFiles(folder).map(({ id }) => id)).toEqual(['a-2', 'a-1']);
  });

  it('name the settings that differ from the service’s; what a file leaves out does not', () => {
    writeFileSync(join(folder, 'a.yaml'), 'id: a-1\nname: Desk\nrecording:\n  enabled: false\n');
    const [file] = readAgentFiles(folder);
    expect(
      differences(file!, agent('a-1', 'Desk', { recording: { enabled: false, format: 'mp3' } })),
    ).toEqual([]);
    expect(differences(file!, agent('a-1', 'Desk'))).toEqual(['recording']);
  });

  it('get the id of what was made of them, and keep their comments', () => {
    writeFileSync(join(folder, 'a.yaml'), '# The night shift.\nname: Desk\n');
    keepId(readAgentFiles(folder)[0]!, 'a-9');
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe('id: a-9\n# The night shift.\nname: Desk\n');
  });

  it.each(['---\nname: Desk\n', '{ name: Desk }\n', '%YAML 1.2\n---\nname: Desk\n'])(
    'get it in whatever form they are written: %j',
    (text) => {
      writeFileSync(join(folder, 'a.yaml'), text);
      keepId(readAgentFiles(folder)[0]!, 'a-9');
      expect(readAgentFiles(folder)).toMatchObject([{ id: 'a-9', settings: { name: 'Desk' } }]);
    },
  );

  it('keep comments, order and short forms where a pull changes something else', () => {
    const text = '# Of nights.\nname: Desk # in lists\nid: a-1\nsystem_prompt: |-\n  Be kind.\n  Be brief.\n';
    writeFileSync(join(folder, 'a.yaml'), `${text}recording: { enabled: true } # the law\ntools: []\n`);
    const changed = agent('a-1', 'Desk', { recording: { enabled: false }, metadata: {} });
    expect(writeAgentFiles(folder, [changed])).toEqual([join(folder, 'a.yaml')]);
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(
      `${text}recording: { enabled: false } # the law\nmetadata: {}\n`,
    );
    expect(writeAgentFiles(folder, [changed])).toEqual([]);
  });

  it('that say what the service says stay as they are written', () => {
    const text = `id:   a-1\nname: 'Desk'\nsystem_prompt: "Be kind.\\nBe brief."\nrecording: {enabled: true}\n`;
    writeFileSync(join(folder, 'a.yaml'), text);
    expect(writeAgentFiles(folder, [agent('a-1', 'Desk')])).toEqual([]);
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(text);
  });

  it('that were copied with their id are refused: one would undo the other', () => {
    for (const name of ['a', 'b']) writeFileSync(join(folder, `${name}.yaml`), `id: a-1\nname: ${name}\n`);
    expect(() => readAgentFiles(folder)).toThrow(/a\.yaml and .*b\.yaml have the same id/);
  });

  it.each(['id: ""', 'id: 5', 'id:'])('are refused with an id that is none: %s', (line) => {
    writeFileSync(join(folder, 'a.yaml'), `${line}\nname: Desk\n`);
    expect(() => readAgentFiles(folder)).toThrow(/a\.yaml: id must be that of an agent/);
  });

  it('that cannot be read are named', () => {
    writeFileSync(join(folder, 'broken.yaml'), 'name: "');
    expect(() => readAgentFiles(folder)).toThrow(/broken\.yaml is no YAML/);
    expect(() => readAgentFiles(join(folder, 'none'))).toThrow(/voice agents pull/);
  });
});

describe('credentials', () => {
  it('are kept for their owner alone, and the environment goes before them', () => {
    const home = { XDG_CONFIG_HOME: folder };
    expect(readCredentials(home)).toBeUndefined();
    keepCredentials(home, { url: 'https://voice.example', key: 'sk_test_1' });
    expect(readCredentials(home)).toEqual({ url: 'https://voice.example', key: 'sk_test_1' });
    expect(readCredentials({ ...home, VOICE_API_KEY: 'sk_live_2' })?.key).toBe('sk_live_2');
    expect(readFileSync(credentialsPath(home), 'utf8')).toContain('sk_test_1');
    forgetCredentials(home);
    expect(readCredentials(home)).toBeUndefined();
  });

  it.each(['{"url": "https://voice.exa', 'null', '{}'])('that were broken are said to be: %s', (text) => {
    const home = { XDG_CONFIG_HOME: folder };
    keepCredentials(home, { url: 'https://voice.example', key: 'sk_test_1' });
    writeFileSync(credentialsPath(home), text);
    expect(() => readCredentials(home)).toThrow(/credentials\.json is not what `voice login` wrote/);
    const environment = { VOICE_API_URL: 'https://voice.example', VOICE_API_KEY: 'sk_live_2' };
    expect(readCredentials({ ...home, ...environment })?.key).toBe('sk_live_2');
  });
});
