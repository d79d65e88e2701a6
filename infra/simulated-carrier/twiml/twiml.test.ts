import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { parseTwiml, TwimlError } from './twiml.js';

const response = (inner: string) => `<?xml version="1.0" encoding="UTF-8"?><Response>${inner}</Response>`;

describe('TwiML', () => {
  it("reads what Twilio's SDK writes", () => {
    const document = new twilio.twiml.VoiceResponse();
    const stream = document.connect().stream({ url: 'wss://worker.example/streams/twilio' });
    stream.parameter({ name: 'token', value: '<a> & "b"' });
    document.say({ language: 'en-US' }, 'It’s over & done.');
    document.pause({ length: 2 });
    document.dial('+15005550006');
    document.hangup();
    expect(parseTwiml(document.toString())).toEqual([
      { verb: 'stream', url: 'wss://worker.example/streams/twilio', parameters: { token: '<a> & "b"' } },
      { verb: 'say', text: 'It’s over & done.', language: 'en-US' },
      { verb: 'pause', seconds: 2 },
      { verb: 'dial', number: '+15005550006' },
      { verb: 'hangup' },
    ]);
  });

  it('reads comments, CDATA, entities and single quotes', () => {
    const source = response(`<!-- hello --> <Say language='de'><![CDATA[1 < 2]]> &#38; &#x41;</Say>`);
    expect(parseTwiml(source)).toEqual([{ verb: 'say', text: '1 < 2 & A', language: 'de' }]);
    expect(parseTwiml('<Response/>')).toEqual([]);
  });

  it('reads a Redirect, by POST alone', () => {
    const source = response(
      '<Say>Hello.</Say><Redirect method="POST">http://a.example/next?x=1&amp;y=2</Redirect>',
    );
    expect(parseTwiml(source)).toMatchObject([
      { verb: 'say' },
      { verb: 'redirect', url: 'http://a.example/next?x=1&y=2' },
    ]);
    for (const wrong of [
      '<Redirect>/next</Redirect>',
      '<Redirect method="GET">http://a.example/</Redirect>',
    ]) {
      expect(() => parseTwiml(response(wrong))).toThrow('Redirect');
    }
  });

  it('reads a Dial and where it asks what comes next', () => {
    const source = response('<Dial action="http://a.example/next" method="POST">+15005550006</Dial>');
    const dial = { verb: 'dial', number: '+15005550006' };
    expect(parseTwiml(source)).toEqual([{ ...dial, action: 'http://a.example/next' }]);
    for (const attributes of ['', ' timeLimit="14400"']) {
      expect(parseTwiml(response(`<Dial${attributes}>+15005550006</Dial>`))).toEqual([
        { ...dial, action: undefined },
      ]);
    }
  });

  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['an open element', '<Response>'],
    ['crossed tags', '<Response><Say></Response></Say>'],
    ['two roots', '<Response/><Response/>'],
    ['an unknown entity', response('<Say>&nope;</Say>')],
    ['an attribute without quotes', response('<Pause length=1/>')],
    ['an attribute twice', response('<Pause length="1" length="2"/>')],
    ['a DTD', '<!DOCTYPE x><Response/>'],
  ])('refuses %s as 12100', (_, source) => {
    expect(() => parseTwiml(source)).toThrow(expect.objectContaining({ code: 12100 }));
  });

  it.each([
    ['another root', '<Say/>', 12200],
    ['a verb that is not simulated', response('<Gather/>'), 12200],
    ['an attribute that is not simulated', response('<Say voice="x" foo="1">a</Say>'), 12200],
    ['a Connect without a Stream', response('<Connect/>'), 12200],
    ['a Stream without url', response('<Connect><Stream/></Connect>'), 12200],
    ['an http Stream', response('<Connect><Stream url="http://a.example/"/></Connect>'), 12200],
    ['a query in the url', response('<Connect><Stream url="wss://a.example/?a=1"/></Connect>'), 12200],
    [
      'both tracks on a bidirectional Stream',
      response('<Connect><Stream url="wss://a.example/" track="both_tracks"/></Connect>'),
      12200,
    ],
    [
      'a Parameter without value',
      response('<Connect><Stream url="wss://a.example/"><Parameter name="a"/></Stream></Connect>'),
      12200,
    ],
    [
      'a Parameter that is too long',
      response(
        `<Connect><Stream url="wss://a.example/"><Parameter name="a" value="${'x'.repeat(500)}"/></Stream></Connect>`,
      ),
      12200,
    ],
    ['a Dial to no number', response('<Dial>somebody</Dial>'), 13223],
    ['a Dial without time', response('<Dial timeLimit="0">+15005550006</Dial>'), 13216],
    ['a Dial with half an address', response('<Dial action="/next">+15005550006</Dial>'), 12200],
    [
      'a Dial that asks by GET',
      response('<Dial action="http://a.example/" method="GET">+15005550006</Dial>'),
      12200,
    ],
  ])('refuses %s', (_, source, code) => {
    expect(() => parseTwiml(source)).toThrow(TwimlError);
    expect(() => parseTwiml(source)).toThrow(expect.objectContaining({ code }));
  });
});
