import { describe, expect, it } from 'vitest';
import { banner } from './banner.js';
import { readConfig } from './config.js';
import { loginLinks } from './login-links.js';

const urls = { apiUrl: 'http://127.0.0.1:8080', internalUrl: 'http://127.0.0.1:8082' };
const link = (page: string) => `http://127.0.0.1:8080/${page}#token=${'t'.repeat(43)}`;

async function bannerFor(isTerminal: boolean, env: NodeJS.ProcessEnv = {}) {
  const made: string[] = [];
  const links = await loginLinks({
    isTerminal,
    create: async (page) => {
      made.push(page);
      return link(page);
    },
    onError: () => {},
  });
  return { made, text: banner(readConfig(env), [], { ...urls, links, room: undefined }) };
}

describe('the start banner', () => {
  it('shows a person at a terminal the links that sign in', async () => {
    const { text } = await bannerFor(true);
    expect(text).toContain(link('dashboard'));
    expect(text).toContain(link('talk'));
  });

  it('makes and prints no link where a log would keep it, and says how to get one', async () => {
    const { made, text } = await bannerFor(false);
    expect(made).toEqual([]);
    expect(text).not.toContain('token=');
    expect(text).toMatch(/Talk to it +npm run login -- --page talk/);
    expect(text).toMatch(/Dashboard +npm run login/);
  });

  it('goes on without a link that cannot be made', async () => {
    const said: string[] = [];
    const links = await loginLinks({
      isTerminal: true,
      create: () => Promise.reject(new Error('the control plane does not answer')),
      onError: (message) => said.push(message),
    });
    expect(links).toEqual({ dashboard: undefined, talk: undefined });
    expect(said[0]).toBe('no login link: the control plane does not answer');
  });

  it('names the metrics at the internal listener', async () => {
    expect((await bannerFor(false)).text).toMatch(/Metrics +http:\/\/127\.0\.0\.1:8082\/metrics/);
  });

  it('names the vendors that the installation has an account at or an address of, without keys and passwords', async () => {
    const env = {
      DEEPGRAM_API_KEY: 'a-key',
      OPENAI_BASE_URL: 'http://me:word@127.0.0.1:11434/v1',
      OPENAI_MODEL: 'llama3.2',
    };
    const { text } = await bannerFor(false, env);
    expect(text).toMatch(/Vendors +deepgram, openai at 127\.0\.0\.1:11434 \(llama3\.2\)\n/);
    expect(text).not.toMatch(/a-key|word/);
    expect((await bannerFor(false)).text).toMatch(/Vendors +none; docs\/voice-configuration\.md/);
  });
});
