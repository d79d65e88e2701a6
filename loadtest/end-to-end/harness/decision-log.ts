import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Remembered {
  readonly index: number;
  readonly text: string;
}

/** Gives the transcript turns that the call's decision log holds, by index; the last word for an index counts. */
export async function rememberedTurns(dataDir: string, callId: string): Promise<Remembered[]> {
  const path = await decisionLogPath(dataDir, callId);
  const turns = new Map<number, Remembered>();
  for (const line of readFileSync(path, 'utf8').split('\n').slice(1)) {
    if (line === '') continue;
    const { effects } = JSON.parse(line) as { effects: { type: string; entry?: Remembered }[] };
    for (const { type, entry } of effects) if (type === 'remember' && entry) turns.set(entry.index, entry);
  }
  return [...turns.values()].sort((a, b) => a.index - b.index);
}

/** Returns where the control plane stored the call's log; waits until it has. */
export async function decisionLogPath(dataDir: string, callId: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    for (const folder of readdirSync(dataDir)) {
      if (folder === 'workers' || folder === 'store') continue;
      for (const path of filesUnder(join(dataDir, folder))) {
        if (path.includes(callId) && path.endsWith('.ndjson')) return path;
      }
    }
    await sleep(100);
  }
  throw new Error(`no decision log of ${callId} under ${dataDir}`);
}

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
