export {
  fromHumanResponse,
  type HumanInterrupt,
  type HumanResponse,
  toHumanInterrupt,
} from './adapter/langchain/human-interrupt.ts'
export { holdpointMiddleware } from './adapter/langchain/middleware.ts'
export type {
  FromRuntime,
  HoldpointMiddleware,
  HoldpointMiddlewareOptions,
  InterruptRule,
} from './adapter/langchain/options.ts'
