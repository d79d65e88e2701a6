import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogModel } from './catalog.js';
import { readConfig } from './config.js';
import { type InstallOptions, install, isInstalled, remove } from './install.js';
import { indexUrl } from './package-index.js';
import { zipOf } from './testing/zip.js';

const WHEEL = zipOf({
  'pkg/data/encoder.ort': Buffer.alloc(300_000, 'model'),
  'pkg/data/tokenizer.bin': Buffer.from('words '.repeat(2000)),
  'pkg/not-needed.so': Buffer.alloc(1000),
});
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const MODEL: CatalogModel = {
  name: 'a-model',
  title: 'A model',
  licence: 'MIT',
  project: 'pkg',
  version: '1.0',
  wheel: 'pkg-1.0-py3-none-any.whl',
  sha256: sha256(WHEEL),
  bytes: WHEEL.length,
  members: [
    { path: 'pkg/data/encoder.ort', name: 'encoder.ort' },
    { path: 'pkg/data/tokenizer.bin', name: 'tokenizer.bin' },
  ],
};

describe('installing a model', () => {
  let modelsDir: string;
  let server: Server;
  let asked: IncomingMessage[];
  /** What the package index does with a file. */
  let serve: (request: IncomingMessage, response: ServerResponse) => void;
  let html: boolean;
  let reports: string[];

  const whole = (_: IncomingMessage, response: ServerResponse) => void response.end(WHEEL);
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const put = (changed: Partial<InstallOptions> = {}, model = MODEL) =>
    install(model, {
      modelsDir,
      index: new URL(`${address()}/simple/`),
      pip: async () => 'there is no pip on this machine',
      report: (line) => reports.push(line),
      onProgress: () => {},
      ...changed,
    });

  beforeEach(async () => {
    modelsDir = mkdtempSync(join(tmpdir(), 'models-'));
    asked = [];
    reports = [];
    serve = whole;
    html = false;
    server = createServer((request, response) => {
      asked.push(request);
      if (request.url === '/simple/pkg/') {
        const link = `../../files/${MODEL.wheel}`;
        response.setHeader('content-type', html ? 'text/html' : 'application/vnd.pypi.simple.v1+json');
        response.end(
          html
            ? `<a href="../other-1.whl">other</a> <a href="${link}#sha256=x">${MODEL.wheel}</a>`
            : JSON.stringify({ files: [{ filename: MODEL.wheel, url: link }] }),
        );
      } else if (request.url === `/files/${MODEL.wheel}`) serve(request, response);
      else response.writeHead(404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(modelsDir, { recursive: true });
  });

  it.each([
    ['JSON', false],
    ['HTML', true],
  ])('unpacks what is needed out of the wheel that an index in %s names', async (_, asHtml) => {
    html = asHtml;
    await put();
    expect(readdirSync(join(modelsDir, 'a-model'))).toEqual(['encoder.ort', 'tokenizer.bin']);
    expect(readFileSync(join(modelsDir, 'a-model/tokenizer.bin'), 'utf8')).toBe('words '.repeat(2000));
    expect(isInstalled(modelsDir, MODEL)).toBe(true);
    expect(readdirSync(join(modelsDir, '.downloads'))).toEqual([]);
  });

  it('goes on where the download broke off', async () => {
    serve = (_, response) => {
      response.writeHead(200, { 'content-length': String(WHEEL.length) });
      response.write(WHEEL.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 20));
    };
    await expect(put()).rejects.toThrow(/could not be fetched/);
    const kept = readFileSync(join(modelsDir, '.downloads', `${MODEL.wheel}.part`)).length;
    expect(kept).toBeGreaterThan(0);
    serve = (request, response) => {
      expect(request.headers.range).toBe(`bytes=${kept}-`);
      response.writeHead(206).end(WHEEL.subarray(kept));
    };
    await put();
    expect(isInstalled(modelsDir, MODEL)).toBe(true);
  });

  it('begins anew where the server cannot resume', async () => {
    mkdirSync(join(modelsDir, '.downloads'));
    writeFileSync(join(modelsDir, '.downloads', `${MODEL.wheel}.part`), WHEEL.subarray(0, 5000));
    await put();
    expect(isInstalled(modelsDir, MODEL)).toBe(true);
  });

  it('uses no file with another hash, and keeps nothing of it', async () => {
    serve = (_, response) => void response.end(Buffer.alloc(WHEEL.length));
    await expect(put()).rejects.toThrow(/SHA-256 [0-9a-f]{64}, not .*: it was not used/s);
    expect(readdirSync(join(modelsDir, '.downloads'))).toEqual([]);
    expect(existsSync(join(modelsDir, 'a-model'))).toBe(false);
  });

  it('lets pip try where the index does not answer, and checks what pip brought', async () => {
    const index = new URL('http://127.0.0.1:1/simple');
    await put({
      index,
      pip: async (model, into) => {
        writeFileSync(join(into, model.wheel), WHEEL);
        return undefined;
      },
    });
    expect(reports).toEqual([expect.stringMatching(/; trying pip$/)]);
    expect(isInstalled(modelsDir, MODEL)).toBe(true);
    remove(modelsDir, MODEL);
    const forged = put({
      index,
      pip: async (model, into) => {
        writeFileSync(join(into, model.wheel), 'something else');
        return undefined;
      },
    });
    await expect(forged).rejects.toThrow(/it was not used/);
  });

  it('says what to do where neither the index nor pip is of help', async () => {
    await expect(put({ index: new URL('http://127.0.0.1:1/simple') })).rejects.toThrow(
      /PIP_INDEX_URL=.*npm run models -- --from DIRECTORY/s,
    );
  });

  it('takes a wheel that somebody brought', async () => {
    const from = mkdtempSync(join(tmpdir(), 'wheels-'));
    await expect(put({ from })).rejects.toThrow(`${from} has no ${MODEL.wheel}`);
    writeFileSync(join(from, MODEL.wheel), WHEEL);
    await put({ from });
    expect(isInstalled(modelsDir, MODEL)).toBe(true);
    expect(asked).toEqual([]);
    rmSync(from, { recursive: true });
  });

  it('can be undone', async () => {
    await put();
    expect(remove(modelsDir, MODEL)).toBe(true);
    expect(isInstalled(modelsDir, MODEL)).toBe(false);
    expect(remove(modelsDir, MODEL)).toBe(false);
  });

  it('sends the index’s login to the index’s own host only', async () => {
    const index = new URL(`${address()}/simple`);
    index.username = 'me';
    index.password = 'p%40ss';
    await put({ index });
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([basic, basic]);
  });
});

describe('the package index', () => {
  it('is the one that pip would use', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'pip-')), 'pip.conf');
    writeFileSync(file, '[global]\nindex-url = https://mirror.example.com/simple\n');
    const of = (env: NodeJS.ProcessEnv) => indexUrl({ ...readConfig(env), pipConfigFiles: [file] }).href;
    expect(of({})).toBe('https://mirror.example.com/simple');
    expect(of({ PIP_INDEX_URL: 'https://other.example.com/simple' })).toBe(
      'https://other.example.com/simple',
    );
    expect(indexUrl({ ...readConfig({}), pipConfigFiles: ['/dev/null'] }).href).toBe(
      'https://pypi.org/simple',
    );
  });
});
