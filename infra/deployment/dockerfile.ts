/** An instruction of a Dockerfile, its continuation lines joined. */
export interface Instruction {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** Reads the instructions; comments, also those between continuation lines, are left out. */
export function parseDockerfile(text: string): Instruction[] {
  const instructions: Instruction[] = [];
  let open: { name: string; value: string; line: number } | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const continues = line.endsWith('\\');
    const part = continues ? line.slice(0, -1).trim() : line;
    if (open) {
      open.value += ` ${part}`;
    } else {
      const [, name = '', value = ''] = /^(\S+)\s*(.*)$/.exec(part) ?? [];
      open = { name: name.toUpperCase(), value, line: index + 1 };
    }
    if (!continues) {
      instructions.push(open);
      open = undefined;
    }
  }
  return instructions;
}

interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

function stagesOf(instructions: readonly Instruction[]): Stage[] {
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') {
      const [, image = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(instruction.value) ?? [];
      stages.push({ image, name, instructions: [] });
    }
    stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

const SECRET = /\b[A-Z0-9_]*(SECRET|PASSWORD|TOKEN|API_KEY)[A-Z0-9_]*\b/;

/** Groups and users that Debian's images have already (base-passwd): made again, they fail the build. */
const DEBIANS_OWN =
  /\b(groupadd|useradd)\b[^&|;]*\s(adm|audio|backup|bin|cdrom|daemon|dialout|dip|disk|fax|floppy|games|irc|kmem|list|lp|mail|man|news|nobody|nogroup|operator|plugdev|proxy|root|sasl|shadow|src|staff|sudo|sync|sys|tape|tty|users|utmp|uucp|video|voice|www-data)(?=\s|$)/;

/** What is looked at in each instruction, by itself. Named as hadolint names its rules, where it has them. */
const RULES: readonly {
  readonly rule: string;
  readonly of: RegExp;
  readonly isBroken: (value: string) => boolean;
}[] = [
  { rule: 'DL3000: WORKDIR is absolute', of: /^WORKDIR$/, isBroken: (value) => !value.startsWith('/') },
  { rule: 'DL3004: no sudo', of: /^RUN$/, isBroken: (value) => /\bsudo\b/.test(value) },
  { rule: 'DL3020: COPY, not ADD', of: /^ADD$/, isBroken: () => true },
  {
    rule: 'DL3025: the command is a JSON list',
    of: /^(CMD|ENTRYPOINT)$/,
    isBroken: (value) => !/^\[".*"\]$/.test(value),
  },
  {
    rule: 'DL3014, DL3015: apt-get install has --yes and --no-install-recommends',
    of: /^RUN$/,
    isBroken: (value) =>
      /apt-get install/.test(value) &&
      !(/ (-y|--yes)\b/.test(value) && /--no-install-recommends/.test(value)),
  },
  {
    rule: 'DL3009: apt’s lists are removed where they were fetched',
    of: /^RUN$/,
    isBroken: (value) => /apt-get update/.test(value) && !/rm -rf \/var\/lib\/apt\/lists/.test(value),
  },
  {
    rule: 'packages are those of the lock file (npm ci)',
    of: /^RUN$/,
    isBroken: (value) => /\bnpm (i|install|update)\b/.test(value),
  },
  {
    rule: 'users and groups have names that Debian has not taken',
    of: /^RUN$/,
    isBroken: (value) => DEBIANS_OWN.test(value),
  },
  { rule: 'no secret is built into the image', of: /^(ENV|ARG)$/, isBroken: (value) => SECRET.test(value) },
];

/** Returns the rules that a Dockerfile breaks, with the lines. `exists` says whether a path is in the build's context. */
export function dockerfileProblems(text: string, exists: (path: string) => boolean): string[] {
  const instructions = parseDockerfile(text);
  const problems = instructions.flatMap(({ name, value, line }) =>
    RULES.filter(({ of, isBroken }) => of.test(name) && isBroken(value)).map(
      ({ rule }) => `line ${line}: ${rule}`,
    ),
  );
  const stages = stagesOf(instructions);
  const names = new Set<string>();
  for (const { image, name, instructions: own } of stages) {
    const tag = image.split(':')[1];
    if (!names.has(image) && (tag === undefined || tag === 'latest'))
      problems.push(`line ${own[0]!.line}: DL3006, DL3007: ${image} has no version`);
    problems.push(...copyProblems(own, names, exists));
    if (name) names.add(name);
  }
  return [...problems, ...imageProblems(stages.at(-1)?.instructions ?? [])];
}

function copyProblems(
  instructions: readonly Instruction[],
  stages: ReadonlySet<string>,
  exists: (path: string) => boolean,
): string[] {
  return instructions
    .filter(({ name }) => name === 'COPY')
    .flatMap(({ value, line }) => {
      const words = value.split(/\s+/);
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
      const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
      if (from !== undefined)
        return stages.has(from) ? [] : [`line ${line}: DL3022: there is no stage ${from} before`];
      return sources.filter((path) => !exists(path)).map((path) => `line ${line}: ${path} is not there`);
    });
}

/** Rules of the last stage, which is the image. */
function imageProblems(instructions: readonly Instruction[]): string[] {
  const last = (name: string) => instructions.findLast((instruction) => instruction.name === name)?.value;
  return [
    ...(/^[1-9]\d*(:\d+)?$/.test(last('USER') ?? '')
      ? []
      : ['DL3002: the image runs as root, or as a name: USER wants a number']),
    ...(last('HEALTHCHECK') === undefined ? ['the image has no HEALTHCHECK'] : []),
    ...(last('CMD') === undefined ? ['the image has no CMD'] : []),
  ];
}
