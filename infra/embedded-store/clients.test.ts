import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda } from 'agenda';
import mongoose, { type Mongoose } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type StoreFixture } from './testing/store-fixture.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const eventually = (check: () => boolean | Promise<boolean>) => expect.poll(check).toBe(true);

describe('mongoose, unmodified', () => {
  let orm: Mongoose;
  beforeAll(async () => {
    orm = await new mongoose.Mongoose().connect(`${store.store.uri}/mongoose`);
  });
  afterAll(() => orm.disconnect());

  test('a model with indexes, defaults, validation and timestamps', async () => {
    const schema = new orm.Schema(
      {
        tenantId: { type: String, required: true },
        name: { type: String, required: true },
        status: { type: String, enum: ['QUEUED', 'DONE'], default: 'QUEUED' },
        cost: orm.Schema.Types.Decimal128,
        turns: [{ role: String, text: String }],
        meta: { type: Map, of: Number },
      },
      { timestamps: true },
    );
    schema.index({ tenantId: 1, name: 1 }, { unique: true });
    const Call = orm.model('Call', schema);
    await Call.init();
    const call = await Call.create({
      tenantId: 't',
      name: 'a',
      cost: orm.Types.Decimal128.fromString('1.10'),
      turns: [{ role: 'agent', text: 'hi' }],
      meta: { x: 1 },
    });
    await expect(Call.create({ tenantId: 't', name: 'a' })).rejects.toMatchObject({
      code: 11000,
      keyValue: { tenantId: 't', name: 'a' },
    });
    await expect(Call.create({ tenantId: 't', name: 'b', status: 'NOPE' as never })).rejects.toThrow(
      /validation failed/,
    );

    call.turns.push({ role: 'caller', text: 'hello' });
    call.status = 'DONE';
    await call.save();
    const read = await Call.findById(call._id).orFail();
    expect(read.turns.map(({ text }) => text)).toEqual(['hi', 'hello']);
    expect(String(read.cost)).toBe('1.10');
    expect(read.meta?.get('x')).toBe(1);
    expect(read.updatedAt.getTime()).toBeGreaterThanOrEqual(read.createdAt.getTime());

    const changed = await Call.findOneAndUpdate(
      { _id: call._id, 'turns.role': 'caller' },
      { $set: { 'turns.$.text': 'bye' } },
      { returnDocument: 'after' },
    ).lean();
    expect(changed?.turns[1]?.text).toBe('bye');
    expect(
      await Call.findOneAndUpdate(
        { tenantId: 't', name: 'new' },
        { $setOnInsert: { status: 'DONE' } },
        { upsert: true, returnDocument: 'after' },
      ).lean(),
    ).toMatchObject({ name: 'new', status: 'DONE' });
    expect(await Call.exists({ name: 'new' })).not.toBeNull();
    expect(
      await Call.find({ name: { $in: ['a', 'new'] } })
        .sort('-name')
        .select('name -_id')
        .skip(0)
        .limit(5)
        .lean(),
    ).toEqual([{ name: 'new' }, { name: 'a' }]);
    const written = await Call.bulkWrite([
      { insertOne: { document: { tenantId: 't', name: 'z' } } },
      { updateOne: { filter: { name: 'z' }, update: { $set: { status: 'DONE' } } } },
      { deleteOne: { filter: { name: 'new' } } },
    ]);
    expect(written).toMatchObject({ insertedCount: 1, modifiedCount: 1, deletedCount: 1 });
    expect(await Call.countDocuments({ status: 'DONE' })).toBe(2);
    let streamed = 0;
    for await (const _ of Call.find().cursor({ batchSize: 1 })) streamed++;
    expect(streamed).toBe(2);
  });

  test('a version conflict is seen', async () => {
    const Item = orm.model(
      'Item',
      new orm.Schema({ list: [String], n: Number }, { optimisticConcurrency: true }),
    );
    const { _id } = await Item.create({ list: ['a'], n: 1 });
    const [one, other] = [await Item.findById(_id).orFail(), await Item.findById(_id).orFail()];
    one.n = 2;
    await one.save();
    other.n = 3;
    await expect(other.save()).rejects.toThrow(/No matching document|version/i);
  });

  test('populate', async () => {
    const Agent = orm.model('Agent', new orm.Schema({ name: String }));
    const Dial = orm.model(
      'Dial',
      new orm.Schema({ agent: { type: orm.Schema.Types.ObjectId, ref: 'Agent' } }),
    );
    const agent = await Agent.create({ name: 'Ann' });
    await Dial.create({ agent: agent._id });
    expect(await Dial.findOne().populate('agent').lean()).toMatchObject({ agent: { name: 'Ann' } });
  });
});

describe('Agenda, unmodified', () => {
  async function agendaOn(collection: string): Promise<Agenda> {
    const backend = new MongoBackend({ mongo: store.client.db('agenda') as never, collection });
    const agenda = new Agenda({ backend, processEvery: '0.1 seconds' });
    await new Promise<void>((resolve) => {
      agenda.on('ready', () => resolve());
    });
    return agenda;
  }

  test('now, schedule and every', async () => {
    const agenda = await agendaOn('basic');
    const ran: string[] = [];
    agenda.define('dial', async (job: { attrs: { data: { to: string } } }) => {
      ran.push(job.attrs.data.to);
    });
    agenda.define('tick', async () => {
      ran.push('tick');
    });
    await agenda.start();
    try {
      await agenda.now('dial', { to: 'now' });
      await agenda.schedule(new Date(Date.now() + 200), 'dial', { to: 'later' });
      await agenda.every('0.2 seconds', 'tick');
      await agenda.every('0.2 seconds', 'tick'); // declared again: still one job
      await eventually(
        () =>
          ran.includes('now') && ran.includes('later') && ran.filter((name) => name === 'tick').length >= 2,
      );
      expect(await store.client.db('agenda').collection('basic').countDocuments({ name: 'tick' })).toBe(1);
    } finally {
      await agenda.stop();
    }
  });

  test('a job runs once with two workers, and concurrency is kept', async () => {
    const workers = [await agendaOn('shared'), await agendaOn('shared')];
    const runs = new Map<number, number>();
    let active = 0;
    let most = 0;
    for (const worker of workers) {
      worker.define(
        'work',
        async (job: { attrs: { data: { n: number } } }) => {
          most = Math.max(most, ++active);
          const { n } = job.attrs.data;
          runs.set(n, (runs.get(n) ?? 0) + 1);
          await new Promise((resolve) => setTimeout(resolve, 20));
          active--;
        },
        { concurrency: 2 },
      );
    }
    for (let n = 0; n < 12; n++) await workers[0]?.now('work', { n });
    await Promise.all(workers.map((worker) => worker.start()));
    try {
      await eventually(() => runs.size === 12 && active === 0);
      expect([...runs.values()]).toEqual(Array(12).fill(1));
      expect(most).toBeLessThanOrEqual(4);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });

  test('a job whose worker died is taken up again when its lock is old', async () => {
    const jobs = store.client.db('agenda').collection('crashed');
    const agenda = await agendaOn('crashed');
    await jobs.insertOne({
      name: 'lost',
      type: 'normal',
      priority: 0,
      nextRunAt: new Date(Date.now() - 60_000),
      lockedAt: new Date(Date.now() - 60_000),
      data: {},
    });
    let ran = 0;
    agenda.define('lost', async () => void ran++, { lockLifetime: 30_000 });
    await agenda.start();
    try {
      await eventually(
        async () => ran === 1 && (await jobs.findOne({ name: 'lost' }))?.lastFinishedAt instanceof Date,
      );
    } finally {
      await agenda.stop();
    }
  });

  test('a failing job is written down as failed', async () => {
    const agenda = await agendaOn('failing');
    agenda.define('fail', async () => {
      throw new Error('no line');
    });
    await agenda.start();
    try {
      await agenda.now('fail', {});
      const jobs = store.client.db('agenda').collection('failing');
      await eventually(async () => (await jobs.findOne({ name: 'fail' }))?.failReason === 'no line');
      expect(await jobs.findOne({ name: 'fail' })).toMatchObject({ failCount: 1 });
    } finally {
      await agenda.stop();
    }
  });
});
