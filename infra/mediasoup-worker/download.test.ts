import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../installation/command.js';
import { download, prebuiltUrl } from './download.js';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mediasoup-download-'));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/worker.tgz`;
}

const never = new AbortController().signal;

/** Builds an archive that holds a program of that name. */
async function archiveOf(script: string): Promise<string> {
  const from = folder();
  writeFileSync(join(from, 'mediasoup-worker'), script, { mode: 0o755 });
  const archive = join(from, 'worker.tgz');
  await runCommand('tar', ['-czf', archive, '-C', from, 'mediasoup-worker']);
  return archive;
}

async function servedArchive(script: string): Promise<string> {
  const archive = readFileSync(await archiveOf(script));
  return await served((_request, response) => response.end(archive));
}

describe('the download of the official worker', () => {
  it('asks for the file of this version, system and kernel', () => {
    const base = { downloadBaseUrl: 'https://releases.example', arch: 'arm64', kernel: '6.1.0-18' };
    expect(prebuiltUrl({ ...base, platform: 'linux' })).toBe(
      'https://releases.example/3.27.1/mediasoup-worker-3.27.1-linux-arm64-kernel6.tgz',
    );
    expect(prebuiltUrl({ ...base, platform: 'darwin' })).toMatch(/3\.27\.1-darwin-arm64\.tgz$/);
  });

  it('gives a binary that runs here', async () => {
    const url = await servedArchive('#!/bin/sh\nexit 41\n');
    const into = folder();
    expect(await download(url, into, never)).toEqual({ binary: join(into, 'mediasoup-worker') });
  });

  it('refuses one that does not run here', async () => {
    const url = await servedArchive('#!/bin/sh\nexit 127\n');
    expect(await download(url, folder(), never)).toEqual({
      unavailable: 'the official binary does not run here',
    });
  });

  it.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['stops in the middle', (_request, response) => void response.writeHead(200).write('begun')],
  ])('gives up a server that %s', async (_what, listener) => {
    const url = await served(listener);
    expect(await download(url, folder(), never, 100)).toEqual({
      unavailable: `${url} is out of reach (no byte for 0.1 s)`,
    });
  });

  it.each<[string, RequestListener, RegExp]>([
    ['has none for this machine', (_request, response) => response.writeHead(404).end(), /answered 404/],
    ['gives something else', (_request, response) => response.end('<html>'), /cannot be unpacked/],
  ])('says so when the server %s', async (_what, listener, reason) => {
    const result = await download(await served(listener), folder(), never);
    expect(result).toEqual({ unavailable: expect.stringMatching(reason) });
  });
});
