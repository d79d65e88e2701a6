import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Longest wait for one server's answer, in ms, and how often each is asked. */
const ANSWER_TIMEOUT_MS = 2000;
const TRIES = 2;
/** Names that wait for the system at most. */
const MAX_WAITING = 64;

/** Who is asked for the addresses of a name. */
export interface NameSources {
  /** DNS, without a thread: as many questions at once as there are. */
  readonly dns: Pick<Resolver, 'resolve4' | 'resolve6'>;
  /** The system, which knows the hosts file and search domains, too; each question holds a thread until it is answered. */
  readonly system: (name: string) => Promise<readonly LookupAddress[]>;
}

/**
 * Resolves names that tenants gave. The process resolves all its other names on two threads (libuv's, for slow work):
 * a few names whose servers never answer would hold both, and no carrier and no provider could be reached. So DNS is
 * asked, and the system only for what DNS does not know, one name after another.
 */
export class TenantNames {
  readonly #sources: NameSources;
  readonly #asked = new Map<string, Promise<readonly LookupAddress[]>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(sources: NameSources = processSources()) {
    this.#sources = sources;
  }

  /** Returns all addresses of the name. Rejects with an error that has a code of Node's DNS. */
  async resolve(name: string): Promise<readonly LookupAddress[]> {
    // A tenant has no say in how these are resolved: they are not in the internet's DNS.
    if (isLocal(name)) return this.#sources.system(name);
    const found = await this.#ofDns(name);
    return found.length > 0 ? found : this.#ofSystem(name);
  }

  async #ofDns(name: string): Promise<LookupAddress[]> {
    const { dns } = this.#sources;
    const [four, six] = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
    const addresses = (answer: PromiseSettledResult<string[]>) =>
      answer.status === 'fulfilled' ? answer.value : [];
    return [
      ...addresses(four).map((address) => ({ address, family: 4 })),
      ...addresses(six).map((address) => ({ address, family: 6 })),
    ];
  }

  #ofSystem(name: string): Promise<readonly LookupAddress[]> {
    const known = this.#asked.get(name);
    if (known) return known;
    if (this.#asked.size >= MAX_WAITING) return Promise.reject(tooMany(name));
    const answer = this.#last.then(() => this.#sources.system(name)).finally(() => this.#asked.delete(name));
    this.#asked.set(name, answer);
    this.#last = answer.catch(() => {});
    return answer;
  }
}

/** Whether the name is this machine's, or one of its own network that has no dot. Pure. */
function isLocal(name: string): boolean {
  const plain = name.replace(/\.$/, '');
  return !plain.includes('.') || plain.endsWith('.localhost');
}

function tooMany(name: string): Error {
  return Object.assign(new Error(`Too many names wait to be resolved: ${name}`), { code: 'EAI_AGAIN' });
}

function processSources(): NameSources {
  return {
    dns: new Resolver({ timeout: ANSWER_TIMEOUT_MS, tries: TRIES }),
    system: (name) =>
      new Promise((resolve, reject) => {
        lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
      }),
  };
}
