import { PbfReader, PbfWriter } from 'pbf';

/**
 * As much of ONNX's file format as it takes to read a model's weights and to write a model.
 * docs: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */

/** Numbers in the order of the last dimension first. */
export interface FloatTensor {
  readonly dims: readonly number[];
  readonly values: Float32Array;
}

/** An operation of a model. An attribute is a text, a whole number or several. */
export interface OnnxNode {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, string | number | readonly number[]>>;
}

/** What goes in or comes out: floats; a dimension that differs from run to run has a name. */
interface OnnxValue {
  readonly name: string;
  readonly dims: readonly (number | string)[];
}

export interface OnnxModel {
  readonly nodes: readonly OnnxNode[];
  readonly floats: ReadonlyMap<string, FloatTensor>;
  /** Lists of whole numbers, as operations want them for shapes and axes. */
  readonly integers: ReadonlyMap<string, readonly number[]>;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

const IR_VERSION = 8;
const OPERATIONS_VERSION = 16;
const FLOAT = 1;
const INT64 = 7;
const ATTRIBUTE_TYPE = { int: 2, text: 3, ints: 7 } as const;

/** Reads the constants of a model that are floats, also those of graphs in its operations, by name. */
export function readConstants(model: Uint8Array): Map<string, FloatTensor> {
  const found = new Map<string, FloatTensor>();
  new PbfReader(model).readFields((tag, _, pbf) => {
    if (tag === 7) readGraph(pbf, found);
  }, undefined);
  return found;
}

function readGraph(pbf: PbfReader, found: Map<string, FloatTensor>): void {
  pbf.readMessage((tag) => {
    if (tag === 1) readNode(pbf, found);
  }, undefined);
}

function readNode(pbf: PbfReader, found: Map<string, FloatTensor>): void {
  let name = '';
  let tensor: FloatTensor | undefined;
  pbf.readMessage((tag) => {
    if (tag === 2) name = pbf.readString();
    else if (tag === 5) tensor = readAttribute(pbf, found) ?? tensor;
  }, undefined);
  if (tensor) found.set(name, tensor);
}

function readAttribute(pbf: PbfReader, found: Map<string, FloatTensor>): FloatTensor | undefined {
  let tensor: FloatTensor | undefined;
  pbf.readMessage((tag) => {
    if (tag === 5) tensor = readTensor(pbf);
    else if (tag === 6) readGraph(pbf, found);
  }, undefined);
  return tensor;
}

function readTensor(pbf: PbfReader): FloatTensor | undefined {
  const dims: number[] = [];
  let type = 0;
  let raw: Uint8Array | undefined;
  pbf.readMessage((tag) => {
    if (tag === 1) pbf.readPackedVarint(dims);
    else if (tag === 2) type = pbf.readVarint();
    else if (tag === 9) raw = pbf.readBytes();
  }, undefined);
  // Copied: its place in the file need not be a multiple of four.
  return type === FLOAT && raw ? { dims, values: new Float32Array(new Uint8Array(raw).buffer) } : undefined;
}

/** Writes a model as `InferenceSession.create` takes it. */
export function writeModel(model: OnnxModel): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeVarintField(1, IR_VERSION);
  pbf.writeMessage(7, writeGraph, model);
  pbf.writeMessage(8, (version, out) => out.writeVarintField(2, version), OPERATIONS_VERSION);
  return pbf.finish();
}

function writeGraph(model: OnnxModel, pbf: PbfWriter): void {
  for (const node of model.nodes) pbf.writeMessage(1, writeNode, node);
  pbf.writeStringField(2, 'graph');
  for (const [name, { dims, values }] of model.floats) {
    const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    pbf.writeMessage(5, writeTensor, { name, dims, type: FLOAT, raw });
  }
  for (const [name, values] of model.integers) {
    const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    pbf.writeMessage(5, writeTensor, { name, dims: [values.length], type: INT64, raw });
  }
  for (const value of model.inputs) pbf.writeMessage(11, writeValue, value);
  for (const value of model.outputs) pbf.writeMessage(12, writeValue, value);
}

function writeNode({ type, inputs, outputs, attributes }: OnnxNode, pbf: PbfWriter): void {
  for (const input of inputs) pbf.writeStringField(1, input);
  for (const output of outputs) pbf.writeStringField(2, output);
  pbf.writeStringField(4, type);
  for (const attribute of Object.entries(attributes)) pbf.writeMessage(5, writeAttribute, attribute);
}

function writeAttribute(
  [name, value]: readonly [string, string | number | readonly number[]],
  pbf: PbfWriter,
): void {
  pbf.writeStringField(1, name);
  if (typeof value === 'string') {
    pbf.writeStringField(4, value);
    pbf.writeVarintField(20, ATTRIBUTE_TYPE.text);
  } else if (typeof value === 'number') {
    pbf.writeVarintField(3, value);
    pbf.writeVarintField(20, ATTRIBUTE_TYPE.int);
  } else {
    for (const n of value) pbf.writeVarintField(8, n);
    pbf.writeVarintField(20, ATTRIBUTE_TYPE.ints);
  }
}

function writeTensor(
  { name, dims, type, raw }: { name: string; dims: readonly number[]; type: number; raw: Uint8Array },
  pbf: PbfWriter,
): void {
  for (const dim of dims) pbf.writeVarintField(1, dim);
  pbf.writeVarintField(2, type);
  pbf.writeStringField(8, name);
  pbf.writeBytesField(9, raw);
}

function writeValue({ name, dims }: OnnxValue, pbf: PbfWriter): void {
  pbf.writeStringField(1, name);
  pbf.writeMessage(2, (_, type) => type.writeMessage(1, writeTensorType, dims), undefined);
}

function writeTensorType(dims: readonly (number | string)[], pbf: PbfWriter): void {
  pbf.writeVarintField(1, FLOAT);
  pbf.writeMessage(
    2,
    (_, shape) => {
      for (const dim of dims) shape.writeMessage(1, writeDim, dim);
    },
    undefined,
  );
}

function writeDim(dim: number | string, pbf: PbfWriter): void {
  if (typeof dim === 'number') pbf.writeVarintField(1, dim);
  else pbf.writeStringField(2, dim);
}
