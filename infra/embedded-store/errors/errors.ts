/**
 * MongoDB's error codes that the store answers with.
 * Source: https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
 */
export const codes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  TypeMismatch: 14,
  Unauthorized: 13,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NoSuchKey: 93,
  CommandNotSupported: 115,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  InvalidIndexSpecificationOption: 197,
  ConversionFailure: 241,
  OperationNotSupportedInTransaction: 263,
  MechanismUnavailable: 334,
  DuplicateKey: 11000,
  OutOfDiskSpace: 14031,
  BSONObjectTooLarge: 10334,
  UnknownField: 40415,
  MissingField: 40414,
  UnrecognizedStage: 40324,
} as const;

const names = new Map<number, string>(Object.entries(codes).map(([name, code]) => [code, name]));

/** Names a code as MongoDB does; codes that have none are called by their place, as MongoDB does. */
export function codeName(code: number): string {
  if (code === codes.UnknownField || code === codes.MissingField || code === codes.UnrecognizedStage) {
    return `Location${code}`;
  }
  return names.get(code) ?? `Location${code}`;
}

/** A refusal with MongoDB's code; `details` are further fields of the error document, such as keyValue. */
export class CommandError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

/** Creates the refusal of what MongoDB can do and this store cannot, so that it is not answered wrongly. */
export function notSupported(what: string, code: number = codes.CommandNotSupported): CommandError {
  return new CommandError(code, `${what} is not supported by the embedded store`);
}
