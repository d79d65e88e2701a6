import { expect, it } from 'vitest';
import { createLog, maskPhoneNumber } from './log.js';

function logged(write: (log: ReturnType<typeof createLog>) => void): {
  text: string;
  line: Record<string, unknown>;
} {
  const lines: string[] = [];
  write(createLog({ name: 'test', level: 'info', write: (line) => lines.push(line) }));
  expect(lines).toHaveLength(1);
  return { text: lines[0]!, line: JSON.parse(lines[0]!) as Record<string, unknown> };
}

it('a secret is redacted by the name of its field, also one level down', () => {
  const { line } = logged((log) => log.info({ code: '123456', vendor: { api_key: 'abc', id: 7 } }, 'sent'));
  expect(line).toMatchObject({ code: '[redacted]', vendor: { api_key: '[redacted]', id: 7 }, msg: 'sent' });
});

it('secrets of an error, of a list and of what is not named err are redacted as well', () => {
  const error = Object.assign(new Error('no'), { token: 'abc', code: 'x' });
  const { line } = logged((log) => log.info({ err: error, cause: error, list: ['a'], none: null }, 'failed'));
  expect(line).toMatchObject({
    err: { token: '[redacted]', error_code: 'x', message: 'no' },
    cause: { token: '[redacted]', code: '[redacted]' },
    list: ['a'],
    none: null,
  });
});

it('an error is logged with its code, its causes and its stack', () => {
  const error = Object.assign(new Error('refused', { cause: new Error('connect ECONNREFUSED') }), {
    code: 'carrier_error',
    status: 502,
  });
  const { line } = logged((log) => log.error({ err: error }, 'failed'));
  expect(line.err).toMatchObject({ type: 'Error', error_code: 'carrier_error', status: 502 });
  expect(line.err).toMatchObject({ message: 'refused: connect ECONNREFUSED', stack: expect.any(String) });
});

it("phone numbers and keys in another's texts are masked", () => {
  const error = new Error("'To' phone number +14155550105 cannot be reached.", {
    cause: new Error('sk_live_DSBuWF6P1phNXL2j2hsiGi8ml3ria5sQ is no key of Twilio'),
  });
  const { text, line } = logged((log) =>
    log
      .child({ call: 'a' })
      .error({ err: error, error: String(error), secret_of: 'whsec_abcdefgh' }, 'failed'),
  );
  expect(text).not.toMatch(/4155550105|DSBuWF6P|abcdefgh/);
  expect(line.error).toContain('+1415•••0105 cannot be reached');
});

it('a masked number shows enough to recognise and too little to call', () => {
  expect([maskPhoneNumber('+15005550006'), maskPhoneNumber('+4912345')]).toEqual(['+1500•••0006', '•••']);
});

it('what is logged of a call names its trace where calls are traced', () => {
  const lines: string[] = [];
  const log = createLog({
    name: 'test',
    level: 'info',
    namesTraces: true,
    write: (line) => lines.push(line),
  });
  const call_id = '0199c0de-0000-7000-8000-00000000abcd';
  log.info({ call_id }, 'a');
  log.child({ call_id }).info({}, 'b');
  log.info({}, 'c');
  const traces = lines.map((line) => (JSON.parse(line) as { trace_id?: string }).trace_id);
  expect(traces).toEqual(['0199c0de00007000800000000000abcd', '0199c0de00007000800000000000abcd', undefined]);
});
