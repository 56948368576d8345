export { aiSdkModel } from './adapter/ai-sdk/ai-sdk-model.ts'
export type { AiSdkModelOptions } from './adapter/ai-sdk/options.ts'
export type { AiSdkLanguageModel } from './adapter/ai-sdk/specification.ts'
