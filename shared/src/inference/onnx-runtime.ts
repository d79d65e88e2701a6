/**
 * The one place that loads ONNX Runtime, with its telemetry switched off: version 1.30 keeps an id of the device in
 * `~/.cache/Microsoft` and collects for Microsoft which sessions are made, unless the environment says no when the
 * first one is. A thread has a copy of the environment, which native code does not read: a process that runs
 * models in threads imports this in its main thread too.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';

export { InferenceSession, Tensor } from 'onnxruntime-node';
