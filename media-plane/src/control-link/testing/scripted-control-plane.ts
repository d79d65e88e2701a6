import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@voice/shared/clock/clock';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';

/** That both planes share. */
export const secret = 'a secret of the two planes';

/** Checks every token and answers as the test scripts it. */
export class ScriptedControlPlane {
  readonly received: { path: string; headers: IncomingMessage['headers']; body: Buffer }[] = [];
  answer: (path: string, body: Buffer) => { status: number; body?: unknown } = () => ({ status: 200 });
  readonly #verifier = new InterPlaneVerifier({ secret, clock: systemClock });
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const method = request.method ?? '';
      const body = Buffer.concat(chunks);
      const { authorization } = request.headers;
      const valid = this.#verifier.accepts({ method, path, authorization }, body);
      if (valid) this.received.push({ path, headers: request.headers, body });
      const answer = valid ? this.answer(path, body) : { status: 401 };
      response.writeHead(answer.status).end(answer.body === undefined ? '' : JSON.stringify(answer.body));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
