export { holdpointMiddleware } from './adapter/langchain/middleware.ts'
export type {
  FromRuntime,
  HoldpointMiddleware,
  HoldpointMiddlewareOptions,
  InterruptRule,
} from './adapter/langchain/options.ts'
