import { z } from 'zod';

/** Numbers of 64 bits are text in the JSON form of protocol buffers. */
const int64 = z.union([z.number().int(), z.string().regex(/^-?\d+$/)]);

const textPart = z.strictObject({ text: z.string() });
/** Native-audio models take text, and the record of calls and results, as context. */
const part = z.union([
  textPart,
  z.strictObject({
    functionCall: z.strictObject({
      id: z.string().optional(),
      name: z.string(),
      args: z.looseObject({}).optional(),
    }),
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name: z.string(),
      response: z.looseObject({}),
    }),
  }),
]);

export const content = z.strictObject({
  role: z.enum(['user', 'model']).optional(),
  parts: z.array(part).min(1),
});
export type Content = z.infer<typeof content>;

const instruction = z.strictObject({
  role: z.enum(['user', 'model', 'system']).optional(),
  parts: z.array(textPart).min(1),
});

/** The subset of OpenAPI 3.0 that `parameters` takes; JSON Schema goes into `parametersJsonSchema`. */
const openApiSchema: z.ZodType = z.lazy(() =>
  z.strictObject({
    type: z
      .enum(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'])
      .or(z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']))
      .optional(),
    format: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.string()).optional(),
    items: openApiSchema.optional(),
    properties: z.record(z.string(), openApiSchema).optional(),
    propertyOrdering: z.array(z.string()).optional(),
    required: z.array(z.string()).optional(),
    minItems: int64.optional(),
    maxItems: int64.optional(),
    minLength: int64.optional(),
    maxLength: int64.optional(),
    minProperties: int64.optional(),
    maxProperties: int64.optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    pattern: z.string().optional(),
    example: z.unknown().optional(),
    default: z.unknown().optional(),
    anyOf: z.array(openApiSchema).optional(),
  }),
);

const functionDeclaration = z
  .strictObject({
    name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
    description: z.string().optional(),
    parameters: openApiSchema.optional(),
    parametersJsonSchema: z.looseObject({ type: z.literal('object') }).optional(),
    response: openApiSchema.optional(),
    responseJsonSchema: z.unknown().optional(),
    behavior: z.enum(['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING']).optional(),
  })
  .refine((tool) => tool.parameters === undefined || tool.parametersJsonSchema === undefined, {
    message: 'parameters and parametersJsonSchema are mutually exclusive',
  });

export const toolList = z.array(z.strictObject({ functionDeclarations: z.array(functionDeclaration) }));
export type ToolList = z.infer<typeof toolList>;

const transcription = z.strictObject({ languageCodes: z.array(z.string()).optional() });

/** `setup`, as far as a voice call uses it. Fields and enums: `types` of @google/genai 2.32.0. */
export const setup = z.strictObject({
  model: z.string().regex(/^models\/.+$/),
  generationConfig: z
    .strictObject({
      responseModalities: z.array(z.enum(['AUDIO', 'TEXT'])).optional(),
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().min(0).max(1).optional(),
      topK: z.number().optional(),
      maxOutputTokens: z.number().int().positive().optional(),
      seed: z.number().int().optional(),
      speechConfig: z
        .strictObject({
          voiceConfig: z
            .strictObject({ prebuiltVoiceConfig: z.strictObject({ voiceName: z.string().min(1) }) })
            .optional(),
          languageCode: z.string().optional(),
        })
        .optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().optional(),
          thinkingBudget: z.number().int().optional(),
          thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
        })
        .optional(),
    })
    .optional(),
  systemInstruction: instruction.optional(),
  tools: toolList.optional(),
  realtimeInputConfig: z
    .strictObject({
      automaticActivityDetection: z
        .strictObject({
          disabled: z.boolean().optional(),
          startOfSpeechSensitivity: z.enum(['START_SENSITIVITY_HIGH', 'START_SENSITIVITY_LOW']).optional(),
          endOfSpeechSensitivity: z.enum(['END_SENSITIVITY_HIGH', 'END_SENSITIVITY_LOW']).optional(),
          prefixPaddingMs: z.number().int().min(0).optional(),
          silenceDurationMs: z.number().int().min(0).optional(),
        })
        .optional(),
      activityHandling: z.enum(['START_OF_ACTIVITY_INTERRUPTS', 'NO_INTERRUPTION']).optional(),
      turnCoverage: z
        .enum([
          'TURN_INCLUDES_ONLY_ACTIVITY',
          'TURN_INCLUDES_ALL_INPUT',
          'TURN_INCLUDES_AUDIO_ACTIVITY_AND_ALL_VIDEO',
        ])
        .optional(),
    })
    .optional(),
  // `transparent` is for Vertex AI only; the SDK refuses it for this API.
  sessionResumption: z.strictObject({ handle: z.string().min(1).optional() }).optional(),
  contextWindowCompression: z
    .strictObject({
      triggerTokens: int64.optional(),
      slidingWindow: z.strictObject({ targetTokens: int64.optional() }).optional(),
    })
    .optional(),
  inputAudioTranscription: transcription.optional(),
  outputAudioTranscription: transcription.optional(),
  proactivity: z.strictObject({ proactiveAudio: z.boolean().optional() }).optional(),
  historyConfig: z.strictObject({ initialHistoryInClientContent: z.boolean().optional() }).optional(),
});
export type Setup = z.infer<typeof setup>;
