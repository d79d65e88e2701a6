import { VENDOR_NAMES, type VendorAccounts } from '@voice/shared/catalogue/vendor-accounts';
import type { LocalModels } from '@voice/shared/local-models/local-models';
import type { RunningProcess } from './child-process.js';
import type { LauncherConfig } from './config.js';
import type { LoginLinks } from './login-links.js';
import type { WorkerRoom } from './worker-room.js';

export const USAGE = `Usage: npm start

Runs the whole system in the foreground: the embedded store (unless MONGODB_URI names a MongoDB), the
simulated carrier, the control plane and WORKERS media workers. Ctrl-C stops it: live calls may finish;
a second Ctrl-C hangs up, a third ends all at once.

  PORT          8080     API, docs
  HOST          127.0.0.1  address on which the API listens; 0.0.0.0: all of the machine's
  INTERNAL_PORT 8082     what is between the planes, and /metrics; never publish it
  MEDIA_PORT    8081     media streams of the first worker
  WORKERS       1        media workers, one a core
  REPLICAS      1        control planes on the one store
  DATA_DIR      ./data   everything that is kept
  MONGODB_URI            a MongoDB in place of the embedded store
  LOG_FORMAT    human    or json
docs/configuration.md lists all variables.
`;

export interface BannerFacts {
  readonly apiUrl: string;
  readonly internalUrl: string;
  /** One-time links that sign in; absent where no person reads them, or none could be made. */
  readonly links: LoginLinks;
  /** What the control plane knows of its workers; undefined when it did not say. */
  readonly room: WorkerRoom | undefined;
}

/** Writes what a newcomer needs to know once all runs. */
export function banner(
  config: LauncherConfig,
  processes: readonly RunningProcess[],
  { apiUrl, internalUrl, links, room }: BannerFacts,
  now = Date.now(),
): string {
  const workers = processes.filter(({ spec }) => spec.role === 'worker');
  const store = processes.find(({ spec }) => spec.role === 'store');
  const lines = [
    ['API', `${config.publicUrl ?? apiUrl}/api/v1`],
    ['API docs', `${config.publicUrl ?? apiUrl}/docs`],
    ['Media', workers.map(({ port }) => `ws://127.0.0.1:${port}`).join(' ')],
    ['Workers', roomOf(config.workers, room)],
    ['Metrics', `${internalUrl}/metrics`],
    ['Store', store ? `embedded, mongodb://127.0.0.1:${store.port}` : 'MONGODB_URI'],
    ['Data', config.dataDir],
    ['Recogniser', recogniserName(config.models)],
    ['Voice', voiceOf(config.models)],
    ['Vendors', vendorsOf(config.vendors)],
    ['Talk to it', links.talk ?? 'npm run login -- --page talk (prints a link that signs in once)'],
    ['Dashboard', links.dashboard ?? 'npm run login (prints a link that signs in once)'],
    ['A first call', 'npm run call'],
    ['An API key', 'npm run key -- --name me --sandbox'],
  ];
  const seconds = ((now - config.startedAt) / 1000).toFixed(1);
  const text = lines.map(([name, value]) => `  ${name!.padEnd(14)}${value}\n`).join('');
  return `\nThe voice agent platform is up, ${seconds} s after the command.\n${text}  Ctrl-C drains and stops all.\n\n`;
}

/** Checks whether calls can be taken now. */
function roomOf(workers: number, room: WorkerRoom | undefined): string {
  if (!room) return `${workers} started; /readyz says how many have room`;
  const calls = room.free_places === 1 ? '1 more call' : `${room.free_places} more calls`;
  return `${room.with_room} of ${workers} with room, for ${calls}`;
}

/** Names what `stt: local` recognises speech with. */
function recogniserName({ speechToText }: LocalModels): string {
  if (!speechToText) return 'scripted (simulated people only); npm run models brings a recogniser';
  return `${speechToText.name} (local); npm run call -- --ears model`;
}

/** Names what `tts: local` speaks with. */
function voiceOf({ textToSpeech }: LocalModels): string {
  return textToSpeech ? `${textToSpeech.name} (local)` : 'espeak-ng; npm run models brings a neural one';
}

/** Names the vendors that an agent can use on the installation’s account; an address may hold a password, so its host alone. */
function vendorsOf(vendors: VendorAccounts): string {
  const known = VENDOR_NAMES.flatMap((vendor) => {
    const { apiKey, url, model } = vendors[vendor];
    if (apiKey === undefined && url === undefined) return [];
    return `${vendor}${url === undefined ? '' : ` at ${new URL(url).host}`}${model === undefined ? '' : ` (${model})`}`;
  });
  return known.length > 0 ? known.join(', ') : 'none; docs/voice-configuration.md says how to add one';
}
