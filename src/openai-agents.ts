export { type KeptRun, openaiGate } from './adapter/openai-agents/openai-gate.ts'
export type { AnyAgent, OpenaiGate, OpenaiGateOptions } from './adapter/openai-agents/options.ts'
