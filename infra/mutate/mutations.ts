/** A node of the parser's tree (ESTree with TypeScript), as far as mutation reads it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** One change of a source that its tests should notice. */
export interface Mutation {
  /** Of what is replaced, as offsets in the source. */
  readonly start: number;
  readonly end: number;
  /** A statement is left out; an expression becomes `replacement`. */
  readonly target: 'expression' | 'statement';
  readonly replacement: string;
}

/**
 * Where a guard counts the rounds of a loop, because a mutant must not run for ever: at the beginning of its block
 * (`end` is `start`), or around its test.
 */
export interface LoopGuard {
  readonly start: number;
  readonly end: number;
}

export interface Found {
  readonly mutations: readonly Mutation[];
  readonly loopGuards: readonly LoopGuard[];
}

/** Boundary and opposite. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
};

/** Methods and the one that each becomes: tests should notice the difference. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['some', 'every'],
  ['every', 'some'],
]);

/** Expressions around which types stand. */
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
/** Words for people: no behaviour. */
const DESCRIBING = /\.(?:describe|meta)$/;
const LOGGING = /\blog\??\.(?:trace|debug|info|warn|error|fatal)$/i;
/** From here on a number is a quantity, whose double is another; one more would often be the same to everybody. */
const QUANTITY = 10;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Finds everything in a source that can be mutated. Pure. */
export function findMutations(source: string, program: Node): Found {
  const mutations: Mutation[] = [];
  const loopGuards: LoopGuard[] = [];
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const replace = ({ start, end }: Node, ...replacements: string[]) => {
    for (const replacement of replacements) mutations.push({ start, end, target: 'expression', replacement });
  };

  const operation = (node: Node) => {
    const [left, right, operator] = [node.left as Node, node.right as Node, String(node.operator)];
    if (operator.startsWith('+') && (isText(left) || isText(right))) return;
    // (Brackets around an operand belong to neither node.)
    const between = source.slice(left.end, right.start);
    const at = left.end + between.indexOf(operator);
    const [first, last] = [source.slice(node.start, at), source.slice(at + operator.length, node.end)];
    for (const other of OPERATORS[operator] ?? []) {
      // `??` may stand beside `&&` in brackets only.
      replace(node, operator === '??' ? `(${first}) ${other} (${last})` : first + other + last);
    }
  };

  const literal = (node: Node) => {
    const { value } = node;
    if (typeof value === 'boolean') replace(node, String(!value));
    if (typeof value === 'number') replace(node, otherNumber(value));
    if (typeof value === 'string' && !/\s/.test(value)) replace(node, value === '' ? "'mutated'" : "''");
  };

  const call = (node: Node) => {
    const callee = node.callee as Node;
    const property =
      callee.type === 'MemberExpression' && !callee.computed ? (callee.property as Node) : null;
    const other = property && METHODS.get(String(property.name));
    if (property && other) {
      const { start, end } = property;
      replace(node, source.slice(node.start, start) + other + source.slice(end, node.end));
    }
  };

  const isSpoken = (node: Node) =>
    node.type === 'CallExpression' &&
    [DESCRIBING, LOGGING].some((words) => words.test(textOf(node.callee as Node)));

  const childrenOf = (node: Node, ...without: string[]) =>
    Object.entries(node).flatMap(([key, value]) => (without.includes(key) ? [] : [value]));

  const statement = ({ start, end }: Node) =>
    mutations.push({ start, end, target: 'statement', replacement: '' });

  const guard = ({ body, test }: Node) => {
    if (isNode(body) && body.type === 'BlockStatement') {
      loopGuards.push({ start: body.start + 1, end: body.start + 1 });
    } else if (isNode(test)) {
      loopGuards.push({ start: test.start, end: test.end });
    }
  };

  /** Notes the mutations of a node; gives what of it is to be looked at next. */
  function visit(node: Node): unknown {
    if (TYPED_EXPRESSIONS.has(node.type)) return node.expression;
    if (node.type.startsWith('TS')) return null;
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return null;
      case 'ExportNamedDeclaration':
        return node.declaration;
      case 'Property':
      case 'PropertyDefinition':
      case 'MethodDefinition':
        return node.computed ? childrenOf(node) : childrenOf(node, 'key');
      case 'TaggedTemplateExpression':
        return (node.quasi as Node).expressions;
      case 'ExpressionStatement': {
        const expression = node.expression as Node;
        const inner = expression.type === 'AwaitExpression' ? (expression.argument as Node) : expression;
        // (The parser has null where a statement is no directive.)
        if (typeof node.directive === 'string' || isSpoken(inner)) return null;
        const isSuper = inner.type === 'CallExpression' && (inner.callee as Node).type === 'Super';
        if (!isSuper) statement(node);
        break;
      }
      case 'ThrowStatement':
        statement(node);
        break;
      case 'IfStatement':
      case 'ConditionalExpression':
        replace(node.test as Node, 'true', 'false');
        break;
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'ForStatement':
      case 'ForOfStatement':
      case 'ForInStatement':
        guard(node);
        break;
      case 'AssignmentExpression':
      case 'BinaryExpression':
      case 'LogicalExpression':
        operation(node);
        break;
      case 'UnaryExpression':
        if (node.operator === '!' || node.operator === '-') replace(node, textOf(node.argument as Node));
        break;
      case 'Literal':
        literal(node);
        break;
      case 'TemplateLiteral':
        if (!/\s/.test(textOf(node))) replace(node, "''");
        break;
      case 'CallExpression':
        if (isSpoken(node)) return node.callee;
        call(node);
        break;
    }
    return childrenOf(node);
  }

  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    else if (isNode(value)) walk(visit(value));
  };
  walk(program);
  return { mutations, loopGuards };
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

function otherNumber(value: number): string {
  if (value === 1) return '0';
  return String(Math.abs(value) >= QUANTITY ? value * 2 : value + 1);
}
