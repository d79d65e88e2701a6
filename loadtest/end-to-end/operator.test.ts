import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserLack, type Chromium, launchChromium } from '../browser/chromium.js';
import type { DashboardPage } from '../browser/dashboard-page.js';
import { ROOT } from '../system/process.js';
import { isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';
import { SharedSystem } from './harness/shared-system.js';
import { explainFailure, signIn } from './harness/signed-in.js';

/** An operator at the calls of their agent, in a browser, against the running system. */
const MINUTE = 60_000;
const TALKS = TEST_NUMBERS.find(({ behavior }) => behavior === 'talks')!.number;
const PAGES = [
  '/agents',
  '/live',
  '/calls',
  '/campaigns',
  '/numbers',
  '/do-not-call',
  '/compliance',
  '/analytics',
  '/keys',
  '/webhooks',
  '/events',
  '/billing',
  '/settings/members',
  '/settings/integrations',
  '/settings/vendor-keys',
];

const lack = browserLack();
let system: SharedSystem;
let tenant: Tenant;
/** To a person who interrupts. */
let interrupted: string;
/** To a person who says nothing. */
let silent: string;
let browser: Chromium | undefined;
let dashboard: DashboardPage;

beforeAll(async () => {
  if (lack !== null) {
    console.warn(`\n!!! The operator’s pages are NOT TESTED here: ${lack}\n`);
    return;
  }
  system = new SharedSystem();
  const name = `operator ${randomUUID()}`;
  tenant = await Tenant.create(
    system,
    {
      ...quickAgent,
      nudge_presets: [{ label: 'Slow down', text: 'Speak more slowly from now on.' }],
    },
    { name },
  );
  interrupted = await tenant.dial('talks_over');
  silent = await tenant.dial('stays_silent');
  browser = await launchChromium({ samples: new Int16Array(16_000), sampleRate: 16_000 });
  dashboard = await signIn(system, browser, name);
  await dashboard.page.getByRole('heading', { name: 'Start', level: 1 }).waitFor();
}, 2 * MINUTE);

afterAll(() => browser?.close());

describe('an operator', () => {
  const step = (name: string, run: () => Promise<void>) =>
    it(name, { timeout: 3 * MINUTE }, async ({ skip }) => {
      if (lack !== null) skip(lack);
      explainFailure(system, dashboard);
      await run();
      expect(dashboard.errors).toEqual([]);
    });
  const main = () => dashboard.page.locator('main');

  step('nudges an agent by a preset of its own, and hands the call over to a person', async () => {
    await dashboard.load(`/live?call=${silent}`);
    const log = dashboard.page.getByRole('log', { name: 'Conversation' });
    await log.getByText(/this is Ada/).waitFor({ timeout: MINUTE });
    await dashboard.click('button', 'Slow down');
    await log.getByText('Speak more slowly from now on.').waitFor();
    await dashboard.click('button', 'Transfer');
    const dialog = dashboard.page.getByRole('dialog');
    await dialog.getByLabel('To').fill('555 0006');
    await dialog.getByRole('button', { name: 'Transfer' }).click();
    await dialog.getByText('Enter the number with its country, as +14155550123.').waitFor();
    await dialog.getByLabel('To').fill(TALKS);
    await dialog.getByLabel('Briefing').fill('Sam Taylor wants to know about parking.');
    expect(await dashboard.inspect('live-transfer')).toEqual([]);
    await dialog.getByRole('button', { name: 'Transfer' }).click();
    await dashboard.page.getByText('The transfer has begun.').waitFor();
    await dashboard.page.getByText('The call is over').waitFor();
    await dashboard.click('link', 'All of the call');
    await main().getByText('Transferred', { exact: true }).first().waitFor();
    expect(await tenant.detail(silent)).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
  });

  step(
    'sees where a person interrupted, and what they did not hear of the answer struck through',
    async () => {
      const call = await tenant.untilStatus(interrupted, isOver, 2 * MINUTE);
      const cut = call.transcript.find((turn) => turn.interrupted && turn.heard_text !== turn.text);
      expect(cut).toBeDefined();
      const { text, heard_text: heard } = cut!;
      await dashboard.load(`/calls/${interrupted}`);
      const row = dashboard.page
        .getByRole('list', { name: 'Transcript' })
        .getByRole('listitem')
        .filter({ has: dashboard.page.locator('del') })
        .first();
      await row.getByText('Interrupted', { exact: true }).waitFor();
      await row.getByText(/^silent within \d+ ms$/).waitFor();
      expect(heard + (await row.locator('del').innerText())).toBe(text);
      await row.scrollIntoViewIfNeeded();
      expect(await dashboard.inspect('call-interrupted')).toEqual([]);
    },
  );

  step('follows a call in a page of their own, as docs/live-streams.md says', async () => {
    const [, sample] = /^```js\n([\s\S]*?)^```$/m.exec(
      readFileSync(join(ROOT, 'docs/live-streams.md'), 'utf8'),
    )!;
    const callId = await tenant.dial('hangs_up');
    const { json: links } = await tenant.request('POST', `/api/v1/calls/${callId}/live-link`);
    await dashboard.page.route('**/my-server/live-link', (route) => route.fulfill({ json: links }));
    const shown = await dashboard.page.evaluate<string[]>(`(async () => {
      const shown = [];
      const show = (role, text, final) => final && shown.push(role + ': ' + text);
      ${sample}
      while (stream.readyState !== EventSource.CLOSED) await new Promise((look) => setTimeout(look, 100));
      return shown;
    })()`);
    await dashboard.page.unroute('**/my-server/live-link');
    expect(shown).toContainEqual(expect.stringMatching(/^agent: Hello, this is Ada/));
    expect(shown.filter((line) => line.startsWith('caller: ')).length).toBeGreaterThanOrEqual(1);
  });

  step('sees on every page that it loads, before anything has come', async () => {
    await dashboard.page.route('**/api/v1/**', () => {});
    for (const path of PAGES) {
      await dashboard.page.goto(`${dashboard.origin}/dashboard${path}`);
      await main().getByRole('heading', { level: 1 }).waitFor();
      const held = await main().locator('.skeleton').count();
      expect(held, path).toBeGreaterThan(0);
    }
    await dashboard.page.unroute('**/api/v1/**');
  });

  step('has the whole of a 4K screen', async () => {
    const found: string[] = [];
    for (const [name, path] of [
      ['live', '/live'],
      ['calls', '/calls'],
      ['call', `/calls/${interrupted}`],
      ['analytics', '/analytics'],
      ['agents', '/agents'],
      ['settings', '/settings'],
    ] as const) {
      await dashboard.load(path);
      found.push(...(await dashboard.onLargeScreen(name)));
    }
    expect(found).toEqual([]);
  });
});
