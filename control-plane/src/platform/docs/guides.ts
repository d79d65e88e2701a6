import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Beside the control plane, wherever in it this runs. */
const FOLDER = join(dirname(findPackageJSON(import.meta.url)!), '..', 'docs');

export interface Guide {
  /** The file's name without its ending, and the last part of the page's address. */
  readonly name: string;
  /** In the list of guides. */
  readonly label: string;
  /** What the reader can do after it, in a sentence. */
  readonly summary: string;
}

/** The pages of `docs/` that the reader shows beside the reference, in the order in which they are best read. */
export const GUIDES: readonly Guide[] = [
  {
    name: 'getting-started',
    label: 'First call',
    summary: 'Start the system, call a simulated person, talk to an agent.',
  },
  { name: 'live-streams', label: 'Follow a call', summary: 'Watch and listen to a call while it goes on.' },
  {
    name: 'voice-configuration',
    label: 'Voice configuration',
    summary: 'Choose recogniser, model and voice.',
  },
  {
    name: 'providers',
    label: 'Providers and carriers',
    summary: 'See what there is, with prices and parameters.',
  },
  { name: 'tools', label: 'Tools and MCP', summary: 'Let an agent look things up and act.' },
  {
    name: 'json-schema',
    label: 'JSON Schema',
    summary: 'Know which keywords tools and extraction take.',
  },
  { name: 'webhooks', label: 'Webhooks', summary: 'Receive events, and verify them in four languages.' },
  { name: 'campaigns', label: 'Campaigns and CSV', summary: 'Call a list of contacts at a set pace.' },
  {
    name: 'answering-machines',
    label: 'Answering machines',
    summary: 'Recognise voicemail, and leave a message.',
  },
  { name: 'compliance', label: 'Compliance', summary: 'Know who may be called, when, and how it is proved.' },
  { name: 'latency', label: 'Latency explained', summary: 'See what a caller waits for, and shorten it.' },
  { name: 'websocket-sessions', label: 'Test sessions', summary: 'Talk to an agent by your own program.' },
  { name: 'speech-to-speech', label: 'Speech to speech', summary: 'Use one model instead of three.' },
  { name: 'local', label: 'Local models', summary: 'Run a whole system without a vendor.' },
  {
    name: 'sandbox-and-production',
    label: 'Sandbox and production',
    summary: 'Test without cost, then go live.',
  },
  { name: 'members', label: 'Members and roles', summary: 'Invite people, and say what each may do.' },
  {
    name: 'data-retention',
    label: 'Data retention',
    summary: 'Know what a call leaves, for how long, and erase it.',
  },
  {
    name: 'production',
    label: 'Deploy to production',
    summary: 'Run it for others, on one machine or many.',
  },
  { name: 'errors', label: 'Errors', summary: 'Understand an error, and know whether to try again.' },
];

/** Returns the guides whose files are there, each with its Markdown: an installation may leave them out. */
export function readGuides(): readonly (Guide & { readonly markdown: string })[] {
  return GUIDES.filter(({ name }) => existsSync(join(FOLDER, `${name}.md`))).map((guide) => ({
    ...guide,
    markdown: readFileSync(join(FOLDER, `${guide.name}.md`), 'utf8'),
  }));
}
