import { createServer } from 'node:net';

/** Resolves when the port can be listened on; an error that names the variable and the remedy when not. */
export async function assertPortFree(variable: string, port: number, host?: string): Promise<void> {
  try {
    await listenOnce(port, host);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} (${variable}) is taken. Stop what uses it, or choose another: ${variable}=${port + 100} npm start (${variable}=0 takes a free one).`,
      );
    }
    if (code === 'EACCES') {
      throw new Error(
        `Port ${port} (${variable}) needs privileges. Choose one above 1023: ${variable}=8080 npm start.`,
      );
    }
    if (code === 'EADDRNOTAVAIL') {
      throw new Error(
        `${host} is no address of this machine, so ${variable} cannot be listened on. Set its host to one that is, or to 0.0.0.0 for all.`,
      );
    }
    throw error;
  }
}

function listenOnce(port: number, host?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => server.close(() => resolve()));
  });
}
