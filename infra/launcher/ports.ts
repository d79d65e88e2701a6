import { createServer } from 'node:net';

/** Resolves when the port can be listened on; an error that names the variable and the remedy when not. */
export async function assertPortFree(variable: string, port: number): Promise<void> {
  try {
    await listenOnce(port);
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
    throw error;
  }
}

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> => listenOnce(0);

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
