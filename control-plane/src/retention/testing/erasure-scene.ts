import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, expect } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import type { CallsModule } from '../../calls/module.js';
import { agentMessage, ended, mediaStarted } from '../../calls/testing/events.js';
import type { CampaignsModule } from '../../campaigns/module.js';
import type { ContactResponse } from '../../campaigns/schemas.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestInstallation } from '../../testing/installation.js';
import type { DialedCall, ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';

/** Stands in everything that somebody says, or that is said of them. */
export const NAME = 'Wilhelmina';
export const PHONE = '+15005550006';

/** What runs only where a test runs it: by itself it would come between two steps of a test. */
const BY_TESTS_ALONE = ['archive', 'erasure', 'event-folding', 'retention'] as const;

/** A control plane for the tests of one file, with a tenant of its own for each test. */
export class ErasureScene {
  readonly #runs = new Map<string, () => Promise<void>>();
  plane!: TestControlPlane;
  carrier!: ScriptedCarrier;
  worker!: ScriptedWorker;
  openai!: OpenAiEmulator;
  /** Takes every webhook at the first try: what is tried again later would change the answers meanwhile. */
  receiver!: WebhookReceiver;
  dataDir!: string;
  key!: string;
  tenantId!: string;
  tenant!: string;

  constructor() {
    beforeAll(async () => {
      this.receiver = await WebhookReceiver.start();
      this.openai = await startOpenAiEmulator({
        apiKeys: ['good'],
        script: [
          {
            forSchema: 'analysis',
            say: JSON.stringify({
              summary: `${NAME} booked Tuesday.`,
              outcome: 'goal_reached',
              outcome_score: 0.9,
              sentiment: 'positive',
              scorecard: { Greeting: { score: 1, reason: `${NAME} was greeted.` } },
              extracted_data: { who: NAME },
            }),
          },
        ],
      });
      const installation = await startTestInstallation({
        capacity: 100,
        env: {
          OPENAI_API_KEY: 'good',
          OPENAI_BASE_URL: this.openai.baseUrl,
          EGRESS_ALLOW: '127.0.0.0/8',
          ARCHIVE_CALLS_AFTER_DAYS: '3650',
          RATE_LIMIT_DEFAULT: '100000',
        },
      });
      const { plane, carrier, worker, dataDir } = installation;
      Object.assign(this, { plane, carrier, worker, dataDir });
      for (const job of plane.modules.flatMap(({ jobs = [] }) => jobs)) {
        if (!BY_TESTS_ALONE.some((name) => name === job.name)) continue;
        this.#runs.set(job.name, job.run.bind(job));
        job.run = async () => {};
      }
      return async () => {
        await installation.close();
        await this.openai.close();
        await this.receiver.close();
      };
    }, 60_000);
    beforeEach(async () => {
      this.tenant = `tenant ${newId()}`;
      ({ key: this.key, tenantId: this.tenantId } = await this.plane.newKey({ tenant: this.tenant }));
      await this.worker.heartbeat(this.plane);
    });
  }

  readonly ask = (method: string, path: string, body?: object) =>
    this.plane.request(method, `/api/v1${path}`, { key: this.key, ...(body ? { body } : {}) });
  readonly erase = (id: string) => this.ask('DELETE', `/calls/${id}`);
  readonly keyOf = (id: string) => ({ _id: id, tenant_id: this.tenantId });
  readonly callsModule = () => this.plane.modules.find(({ name }) => name === 'calls') as CallsModule;
  readonly run = (job: (typeof BY_TESTS_ALONE)[number]) => this.#runs.get(job)!();
  readonly sweep = () => this.run('erasure');
  readonly rows = (collection: string) => this.plane.testStore().collection<{ _id: string }>(collection);

  /** Creates an agent that names the person who is called in everything that it says. */
  async agent(): Promise<string> {
    const agent = (
      await this.ask('POST', '/agents', {
        name: 'Ann',
        disclosure: { text: 'Hello {{first_name}}, this is an AI assistant calling.' },
        system_prompt: 'Book {{first_name}}.',
        voice_config: { stt: { provider: 'local' }, llm: { provider: 'openai' }, tts: { provider: 'local' } },
        analysis: {
          scorecard: [{ name: 'Greeting', weight: 1 }],
          extraction_schema: { type: 'object', properties: { who: { type: 'string' } } },
        },
      })
    ).json as { id: string };
    return agent.id;
  }

  /** A campaign's first call, as it rings. */
  async ringing(settings: object = {}) {
    const agentId = await this.agent();
    await this.ask('POST', '/webhooks', {
      url: this.receiver.url(),
      event_types: ['*'],
      sandbox: true,
    });
    const campaign = (
      await this.ask('POST', '/campaigns', {
        name: 'Spring',
        agent_id: agentId,
        calls_per_minute: 600,
        contacts: [{ phone: PHONE, first_name: NAME, contact_data: { note: `${NAME} likes tea` } }],
        ...settings,
      })
    ).json as { id: string };
    expect((await this.ask('POST', `/campaigns/${campaign.id}/start`)).status).toBe(200);
    const { _id: id } = (await eventually(async () =>
      this.rows('calls').findOne({ campaign_id: campaign.id } as object),
    ))!;
    return { id, campaignId: campaign.id, line: await this.lineOf(id) };
  }

  /** Waits until the carrier has taken the call. */
  async lineOf(id: string): Promise<DialedCall> {
    const line = (await eventually(() => this.carrier.callOf(id)))!;
    await eventually(
      async () => await this.rows('calls').findOne({ _id: id, carrier_call_id: { $gt: '' } } as object),
    );
    return line;
  }

  /** A campaign's call up to its last event; everything in it names the person who is called. */
  async talked(): Promise<{ readonly id: string; readonly campaignId: string }> {
    const { id, campaignId, line } = await this.ringing();
    const said = (index: number, role: 'agent' | 'caller') => {
      const { turn } = agentMessage(index, `I am ${NAME}, at ${PHONE}.`) as Extract<
        ReturnType<typeof agentMessage>,
        { kind: 'turn' }
      >;
      return { kind: 'turn', turn: { ...turn, role, confidence: role === 'caller' ? 0.9 : null } } as const;
    };
    await this.worker.send(
      this.plane,
      this.worker.number(id, [mediaStarted(line.sid), said(0, 'agent'), said(1, 'caller')]),
    );
    return { id, campaignId };
  }

  /** A call of a contact that waits for its retry: the line was busy. */
  async busy() {
    const { id, campaignId, line } = await this.ringing({ retry_policy: { busy_delay_seconds: 3600 } });
    await this.isBusy(campaignId, line);
    return { id, campaignId };
  }

  /** Lets a contact's line be busy, and waits until its retry is planned. */
  async isBusy(campaignId: string, line: DialedCall): Promise<void> {
    await this.carrier.report(line, 'busy');
    const waits = { campaign_id: campaignId, status: 'pending', on_line: false, attempts: { $gt: 0 } };
    await eventually(async () => await this.rows('campaign_contacts').findOne(waits as object));
  }

  /** Makes the retry of a campaign's contact due now. */
  async retry(campaignId: string): Promise<void> {
    await this.rows('campaign_contacts').updateOne(
      { campaign_id: campaignId, tenant_id: this.tenantId } as object,
      { $set: { due_at: new Date(1) } },
    );
    await (this.plane.modules.find(({ name }) => name === 'campaigns') as CampaignsModule).wake(campaignId);
  }

  /** The contact of a campaign that has one. */
  async contactOf(campaignId: string): Promise<ContactResponse> {
    const answer = await this.ask('GET', `/campaigns/${campaignId}/contacts`);
    return (answer.json as { contacts: ContactResponse[] }).contacts[0]!;
  }

  /** Erases a call, once its end is charged and published. */
  async erased(id: string): Promise<void> {
    await this.published(id);
    expect((await this.erase(id)).status).toBe(200);
  }

  readonly hangUp = (id: string) =>
    this.worker.send(
      this.plane,
      this.worker.number(id, [{ ...ended('caller_hangup', 4000), has_recording: true } as never]),
    );
  readonly upload = (id: string, what: 'recording' | 'decision-log') =>
    this.plane.upload(`/internal/calls/${id}/${what}`, Buffer.from(`${NAME} `.repeat(100)), {
      'x-duration-ms': '3900',
    });

  /** A call whose end is all out, with its recording. */
  async finished() {
    const made = await this.talked();
    await this.ask('POST', `/calls/${made.id}/whisper`, { text: `Call her ${NAME}.` });
    await this.hangUp(made.id);
    expect((await this.upload(made.id, 'recording')).status).toBe(204);
    expect((await this.upload(made.id, 'decision-log')).status).toBe(204);
    await this.settled(made.id);
    return made;
  }

  async published(id: string): Promise<void> {
    const over = { _id: id, ended_at: { $ne: null }, post_call_due_at: null, publish_due_at: null };
    await eventually(async () => await this.rows('calls').findOne(over as object));
  }

  async settled(id: string): Promise<void> {
    await this.published(id);
    const over = { tenant_id: this.tenantId, status: 'completed' } as object;
    await eventually(async () => (await this.rows('campaigns').countDocuments(over)) === 1);
  }

  /** Where in the store something of this tenant still names the person. */
  async traces(): Promise<string[]> {
    const found: string[] = [];
    for (const { name } of await this.plane.platform.store.db!.listCollections().toArray()) {
      for await (const row of this.rows(name).find({ tenant_id: this.tenantId } as object)) {
        const text = JSON.stringify(row);
        if (text.includes(NAME) || text.includes(PHONE)) found.push(`${name} ${text.slice(0, 300)}`);
      }
    }
    return found;
  }

  readonly counted = async () => ({
    // Its sums may be made meanwhile.
    usage: await this.rows('usage_records')
      .find({ tenant_id: this.tenantId } as object, { projection: { rollup_seq: 0 } })
      .toArray(),
    ledger: await this.rows('billing_ledger')
      .find({ tenant_id: this.tenantId } as object)
      .toArray(),
    overview: (await this.ask('GET', '/analytics/overview')).json,
    summary: (await this.ask('GET', '/billing/usage')).json,
  });
}
