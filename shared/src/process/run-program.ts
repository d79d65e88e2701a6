export interface ProgramOptions {
  /** Stands before the line of a failure. */
  readonly name?: string;
  /** What is under way when it has ended (keep-alive sockets, a voice that renders) ends with it. */
  readonly lingers?: boolean;
}

/** Runs a program to its exit code; a failure is one plain line on standard error and exit code 1. */
export function runProgram(
  program: () => Promise<number>,
  { name, lingers = false }: ProgramOptions = {},
): void {
  const end = (code: number) => {
    if (lingers) process.exit(code);
    process.exitCode = code;
  };
  program().then(end, (error: unknown) => {
    const line = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name === undefined ? '' : `${name}: `}${line}\n`);
    end(1);
  });
}
