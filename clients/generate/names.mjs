/** Python 3.11: `keyword.kwlist`. */
const PYTHON_KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** ECMAScript's reserved words, with those of strict mode and of modules. */
const TYPESCRIPT_KEYWORDS = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof var void while with yield'
  ).split(' '),
);

/**
 * Returns whether the name can be written as it is, as that of a field of a class.
 * @param {string} name
 */
export const isPythonName = (name) => /^[A-Za-z_]\w*$/.test(name) && !PYTHON_KEYWORDS.has(name);

/**
 * Returns the name as Python takes it for a method or a parameter, as PEP 8 writes words that are reserved.
 * @param {string} name
 * @param {readonly string[]} [taken] what else is named beside it
 */
export const pythonName = (name, taken = []) => freeName(name, (other) => !isPythonName(other), taken);

/**
 * Returns the name as TypeScript takes it for a parameter.
 * @param {string} name
 * @param {readonly string[]} [taken] what else is named beside it
 */
export const typescriptName = (name, taken = []) =>
  freeName(name, (other) => TYPESCRIPT_KEYWORDS.has(other), taken);

/** @type {(name: string, isReserved: (name: string) => boolean, taken: readonly string[]) => string} */
function freeName(name, isReserved, taken) {
  let free = name.replace(/\W/g, '_').replace(/^(?=\d)/, '_');
  while (isReserved(free) || taken.includes(free)) free += '_';
  return free;
}
