import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { CsvUploadResponse } from './schemas.js';
import { CampaignsClient } from './testing/campaigns-client.js';

let store: TestStore;
let plane: TestControlPlane;
let client: CampaignsClient;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
});
beforeEach(async () => {
  client = await CampaignsClient.create(plane);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const number = (i: number) => `+1415${String(5_550_000 + i).padStart(7, '0')}`;

async function upload(file: string | Buffer, query: Record<string, string> = {}): Promise<CsvUploadResponse> {
  const answer = await client.upload(file, query);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json as CsvUploadResponse;
}

/** Sends bytes as they are; what a broken or hostile client would. */
function raw(contentType: string, body: Buffer): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${plane.url}/api/v1/campaigns/upload?agent_id=${client.agentId}&campaign_name=x`,
      { method: 'POST', headers: { authorization: `Bearer ${client.key}`, 'content-type': contentType } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** An upload that is still sent: `piece` again and again, as fast as it is taken. */
function endless(head: string, piece: string) {
  const sent = request(`${plane.url}/api/v1/campaigns/upload?agent_id=${client.agentId}&campaign_name=x`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const bytes = Buffer.from(piece);
  const push = () => {
    while (!sent.destroyed && sent.write(bytes));
  };
  sent.on('drain', push);
  // The connection goes while it is written to.
  sent.on('error', () => {});
  const closed = new Promise<void>((resolve) => sent.once('close', resolve));
  const answered = new Promise<{ status: number; connection: string | undefined; code: string }>((resolve) =>
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const { code } = JSON.parse(text) as { code: string };
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, code });
      });
    }),
  );
  sent.write(`--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${head}`);
  return { push, answered, closed, stop: () => sent.destroy() };
}

const nothingMade = async () =>
  expect((await client.request('GET', '?include_total=true')).json).toMatchObject({
    campaigns: [],
    total: 0,
  });

describe('POST /api/v1/campaigns/upload', () => {
  // @rule 4.24
  it('takes phone, first_name and last_name, and stores every other column in contact_data', async () => {
    const made = await upload('phone,first_name,last_name,Company,city\n+14155550100,Ann,Lee,Acme,Rome\n', {
      campaign_name: 'Autumn',
    });
    expect(made).toMatchObject({ name: 'Autumn', status: 'draft', total_contacts: 1, total_rows: 1 });
    expect(await client.contacts(made.id)).toMatchObject([
      {
        phone: '+14155550100',
        first_name: 'Ann',
        last_name: 'Lee',
        contact_data: { Company: 'Acme', city: 'Rome' },
      },
    ]);
  });

  it('takes phone_number in place of phone, whatever the case and order of the header', async () => {
    const made = await upload('Last Name,Phone_Number\nLee,+14155550100\n');
    expect(await client.contacts(made.id)).toMatchObject([{ phone: '+14155550100', last_name: 'Lee' }]);
  });

  it.each<[string, Buffer]>([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffphone,first_name\n+14155550100,Zoë\n')],
    ['CRLF line ends', Buffer.from('phone,first_name\r\n+14155550100,Zoë\r\n')],
    ['no line end at the end', Buffer.from('phone,first_name\n+14155550100,Zoë')],
    ['UTF-16, little-endian', Buffer.from('\ufeffphone,first_name\n+14155550100,Zoë\n', 'utf16le')],
    ['UTF-16, big-endian', Buffer.from('\ufeffphone,first_name\n+14155550100,Zoë\n', 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from('phone,first_name\n+14155550100,Zoë\n', 'utf16le')],
    ['empty lines', Buffer.from('\nphone,first_name\n\n+14155550100,Zoë\n,\n\n')],
  ])('reads %s', async (_, file) => {
    const made = await upload(file);
    expect(made).toMatchObject({ total_contacts: 1, error_count: 0 });
    expect(await client.contacts(made.id)).toMatchObject([{ phone: '+14155550100', first_name: 'Zoë' }]);
  });

  it('reads quoted values with commas, quotes and line ends', async () => {
    const made = await upload('phone,note\n+14155550100,"says ""hi"", twice\nin two lines"\n');
    expect(await client.contacts(made.id)).toMatchObject([
      { contact_data: { note: 'says "hi", twice\nin two lines' } },
    ]);
  });

  it.each([
    ['(415) 555-0100', '+14155550100'],
    ['1-415-555-0100', '+14155550100'],
    ["'+1 415 555 0100", '+14155550100'],
    ['0044 20 7946 0018', '+442079460018'],
    ['+49 30 901820', '+4930901820'],
  ])('normalises %s to %s', async (written, phone) => {
    const made = await upload(`phone\n"${written}"\n`);
    expect(await client.contacts(made.id)).toMatchObject([{ phone }]);
  });

  it('leaves bad rows out and lists them with their line numbers', async () => {
    const made = await upload(
      `phone,first_name\n${number(1)},A\nnonsense,B\n,C\n${number(2)},D,too,many\n${number(3)},${'x'.repeat(256)}\n${number(4)},E\n`,
    );
    expect(made).toMatchObject({ total_rows: 6, total_contacts: 2, error_count: 4 });
    expect(made.errors.map(({ line, code }) => [line, code])).toEqual([
      [3, 'phone_invalid'],
      [4, 'phone_missing'],
      [5, 'too_many_columns'],
      [6, 'name_too_long'],
    ]);
    expect((await client.contacts(made.id)).map(({ phone }) => phone)).toEqual([number(1), number(4)]);
  });

  it('lists duplicates by their lines and calls each number once', async () => {
    const made = await upload(`phone\n${number(1)}\n${number(2)}\n${number(1)}\n`);
    expect(made).toMatchObject({
      total_contacts: 2,
      duplicate_count: 1,
      duplicates: [{ line: 4, first_line: 2, phone: number(1) }],
    });
  });

  it('keeps the test numbers of the sandbox that repeat: there are only a few', async () => {
    const made = await upload(`phone\n${'+15005550006\n'.repeat(20)}`);
    expect(made).toMatchObject({ total_rows: 20, total_contacts: 20, duplicate_count: 0, duplicates: [] });
  });

  it('takes 10,000 contacts', async () => {
    const rows = Array.from(
      { length: 10_000 },
      (_, i) => `${number(i)},First${i},Last${i},Company ${i},${i}`,
    );
    const file = `phone,first_name,last_name,company,account\n${rows.join('\n')}\n`;
    const made = await upload(file);
    expect(made).toMatchObject({ total_contacts: 10_000, error_count: 0, duplicate_count: 0 });
    expect(await client.get(made.id)).toMatchObject({ contact_counts: { pending: 10_000 } });
  });

  // @rule 4.24
  it('refuses 10,001 rows with 413 too_many_contacts, and makes nothing', async () => {
    const rows = Array.from({ length: 10_001 }, (_, i) => number(i));
    const answer = await client.upload(`phone\n${rows.join('\n')}\n`);
    expect(answer).toMatchObject({ status: 413, json: { code: 'too_many_contacts' } });
    await nothingMade();
  });

  it('refuses a file without end as soon as it holds too many rows, and closes the connection', async () => {
    const upload = endless('phone\n', `${number(1)}\n`.repeat(1000));
    upload.push();
    expect(await upload.answered).toEqual({ status: 413, connection: 'close', code: 'too_many_contacts' });
    await upload.closed;
    await nothingMade();
  });

  it('imports one file of a tenant at a time; another tenant need not wait', async () => {
    const first = endless('phone\n', '');
    const leases = plane.platform.store.models.ImportLease!;
    await eventually(() => leases.exists({ _id: client.tenantId }));
    const refused = await client.upload('phone\n+14155550100\n');
    expect(refused).toMatchObject({ status: 409, json: { code: 'import_in_progress' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await CampaignsClient.create(plane);
    expect((await other.upload('phone\n+14155550100\n')).status).toBe(201);
    first.stop();
    await eventually(
      () => client.upload('phone\n+14155550100\n'),
      ({ status }) => status === 201,
    );
  });

  it.each<[string, string | Buffer]>([
    ['without a phone column', 'name,city\nAnn,Rome\n'],
    ['that is empty', ''],
    ['with a header alone', 'phone\n'],
    ['without one usable row', 'phone\nnonsense\n'],
    ['with a column twice', 'phone,city,City\n+14155550100,a,b\n'],
    ['that is no text', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0xfe, 0x80, 0x81, 0x0a])],
    ['with a quote that is never closed', `phone,note\n+14155550100,"open\n${'x'.repeat(70_000)}\n`],
  ])('refuses a file %s with 422 csv_invalid, and makes nothing', async (_, file) => {
    const answer = await client.upload(file);
    expect(answer).toMatchObject({ status: 422, json: { code: 'csv_invalid' } });
    await nothingMade();
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['a missing agent_id', { agent_id: '' }, 422, 'validation_error'],
    ['a name of 256 characters', { campaign_name: 'x'.repeat(256) }, 422, 'validation_error'],
    ['a foreign agent', { agent_id: '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f' }, 404, 'agent_not_found'],
    [
      'a foreign caller ID',
      { caller_id: '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f' },
      404,
      'caller_id_not_found',
    ],
  ])('refuses %s', async (_, query, status, code) => {
    expect(await client.upload('phone\n+14155550100\n', query)).toMatchObject({ status, json: { code } });
    await nothingMade();
  });

  it('refuses what is no multipart form, has no file, or breaks off', async () => {
    expect((await raw('application/json', Buffer.from('{}'))).status).toBe(415);
    expect((await raw('multipart/form-data', Buffer.from('x'))).status).toBe(400);
    const part = '--b\r\ncontent-disposition: form-data; name="note"\r\n\r\nhello\r\n--b--\r\n';
    const missing = await raw('multipart/form-data; boundary=b', Buffer.from(part));
    expect(missing.status).toBe(422);
    expect(JSON.parse(missing.text)).toMatchObject({
      code: 'validation_error',
      detail: [{ loc: ['body', 'file'], type: 'missing' }],
    });
    const open = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nphone\r\n';
    const broken = await raw('multipart/form-data; boundary=b', Buffer.from(open));
    expect([400, 422]).toContain(broken.status);
    await nothingMade();
  });

  it('runs once for one Idempotency-Key, and recognises another file under it', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const first = await client.upload('phone\n+14155550100\n', {}, headers);
    const again = await client.upload('phone\n+14155550100\n', {}, headers);
    expect(first.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('x-idempotent-replay')).toBe('true');
    const other = await client.upload('phone\n+14155550101\n', {}, headers);
    expect(other).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
    expect((await client.request('GET', '?include_total=true')).json).toMatchObject({ total: 1 });
  });
});
