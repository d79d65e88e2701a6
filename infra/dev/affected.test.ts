import { describe, expect, it } from 'vitest';
import { affected, filesBehind, packagesOf, referencesOf } from './affected.js';

const FILES: Readonly<Record<string, string>> = {
  'control-plane/dist/main.js': `import { a } from './calls/a.js';\nimport { clock } from '@voice/shared/clock/clock';`,
  'control-plane/dist/calls/a.js': `export * from '../b.js';\nimport express from 'express';`,
  'control-plane/dist/b.js': `import '../dist/main.js';`,
  'media-plane/dist/main.js': `const { load } = await import('./voice.js');`,
  'media-plane/dist/voice.js': `new Worker(new URL(\`./thread.\${source ? 'ts' : 'js'}\`, import.meta.url));`,
  'media-plane/dist/thread.js': `this.process = ownProcess(import.meta.url, './child');`,
  'media-plane/dist/child.js': '',
  'shared/dist/clock/clock.js': '',
};
const referencesIn = (file: string) => referencesOf(file, FILES[file] ?? '');
const ENTRIES = { 'control-plane': 'control-plane/dist/main.js', worker: 'media-plane/dist/main.js' };
const affectedBy = (...changed: string[]) => affected(changed, ENTRIES, referencesIn);

describe('the files behind an entry', () => {
  it('are what it imports, directly or not, also in a circle', () => {
    expect([...filesBehind(ENTRIES['control-plane'], referencesIn)].sort()).toEqual([
      'control-plane/dist/b.js',
      'control-plane/dist/calls/a.js',
      'control-plane/dist/main.js',
      'shared/dist/clock/clock.js',
    ]);
  });

  it('are its threads and child processes, too', () => {
    expect(filesBehind(ENTRIES.worker, referencesIn)).toContain('media-plane/dist/thread.js');
    expect(filesBehind(ENTRIES.worker, referencesIn)).toContain('media-plane/dist/child.js');
  });
});

describe('the processes that a change affects', () => {
  it('are those that run the changed file', () => {
    expect(affectedBy('control-plane/dist/b.js')).toEqual(['control-plane']);
    expect(affectedBy('media-plane/dist/child.js')).toEqual(['worker']);
    expect(affectedBy('shared/dist/clock/clock.js')).toEqual(['control-plane']);
    expect(affectedBy('media-plane/dist/thread.js', 'control-plane/dist/b.js')).toEqual([
      'control-plane',
      'worker',
    ]);
  });

  it('are none where only a test or a file of no process has changed', () => {
    expect(affectedBy('control-plane/dist/b.test.js', 'loadtest/dist/bench/main.js')).toEqual([]);
  });
});

describe('the packages of a file', () => {
  it('are what it imports as it is loaded', () => {
    const text = `import express, { Router } from 'express';
import {
  z,
} from "zod";
import 'side/effect';
export * from '@scope/all';
import { own } from './own.js';
import { shared } from '@voice/shared/clock/clock';
import { join } from 'node:path';
import.meta.resolve('not-this');
const late = () => import('late');
const text = "import x from 'text'";`;
    expect(packagesOf(text)).toEqual(['express', 'zod', 'side/effect', '@scope/all']);
  });
});
