import { existsSync } from 'node:fs';
import { succeeds } from '../installation/command.js';
import type { Requirement } from '../installation/debian-packages.js';

const tool = (program: string) => () => succeeds(program, ['--version']);
const library = (module: string) => () => succeeds('pkg-config', ['--exists', module]);

/** What the worker is built with and against. */
export const REQUIREMENTS: readonly Requirement[] = [
  { debianPackage: 'g++', isThere: tool('g++') },
  { debianPackage: 'ninja-build', isThere: tool('ninja') },
  { debianPackage: 'pkg-config', isThere: tool('pkg-config') },
  { debianPackage: 'python3', isThere: () => succeeds('python3', ['-c', 'import zipfile']) },
  { debianPackage: 'flatbuffers-compiler', isThere: tool('flatc') },
  {
    debianPackage: 'libflatbuffers-dev',
    isThere: async () => existsSync('/usr/include/flatbuffers/flatbuffers.h'),
  },
  { debianPackage: 'libuv1-dev', isThere: library('libuv') },
  { debianPackage: 'libssl-dev', isThere: library('openssl') },
  { debianPackage: 'libsrtp2-dev', isThere: library('libsrtp2') },
  { debianPackage: 'libabsl-dev', isThere: library('absl_flat_hash_map') },
];
