// What the recipes of docs/guides/durable-engines.md use of packages that are not installed. Made by hand; nothing else is declared, so that a recipe that
// uses more does not compile.

declare module '@restatedev/restate-sdk' {
  export class TimeoutError extends Error {}
  interface RestatePromise<T> extends Promise<T> {
    orTimeout(duration: { hours: number }): RestatePromise<T>
  }
  export interface WorkflowContext {
    readonly key: string
    awakeable<T>(): { id: string; promise: RestatePromise<T> }
    run<T>(name: string, action: () => Promise<T>, options?: { maxRetryAttempts?: number }): RestatePromise<T>
  }
  export function workflow<THandlers>(definition: { name: string; handlers: THandlers }): { name: string }
}

declare module '@temporalio/workflow' {
  export interface SignalDefinition<TArgs extends unknown[]> {
    readonly type: 'signal'
    readonly name: string
    readonly '~args'?: TArgs
  }
  export function defineSignal<TArgs extends unknown[]>(name: string): SignalDefinition<TArgs>
  export function setHandler<TArgs extends unknown[]>(
    signal: SignalDefinition<TArgs>,
    handler: (...args: NoInfer<TArgs>) => void,
  ): void
  export function condition(holds: () => boolean, timeout: string): Promise<boolean>
  export function proxyActivities<T>(options: { startToCloseTimeout: string; retry?: { maximumAttempts: number } }): T
  export function workflowInfo(): { readonly workflowId: string }
}

declare module '@temporalio/client' {
  import type { SignalDefinition } from '@temporalio/workflow'
  export class Connection {
    static connect(): Promise<Connection>
    close(): Promise<void>
  }
  export class Client {
    constructor(options: { connection: Connection })
    readonly workflow: {
      getHandle(workflowId: string): {
        signal<TArgs extends unknown[]>(signal: SignalDefinition<TArgs>, ...args: TArgs): Promise<void>
      }
    }
  }
}

declare module 'inngest' {
  interface Step {
    run<T>(id: string, work: () => Promise<T>): Promise<T>
    waitForEvent(id: string, options: { event: string; timeout: string; if?: string }): Promise<object | null>
  }
  export class Inngest {
    constructor(options: { id: string })
    createFunction<T>(
      options: { id: string; triggers: { event: string }; retries?: number },
      handler: (given: { event: { name: string; data: unknown }; step: Step }) => Promise<T>,
    ): object
    send(event: { id?: string; name: string; data: object }): Promise<{ ids: string[] }>
  }
}

declare module '@trigger.dev/sdk' {
  export function task<TPayload, TOutput>(options: {
    id: string
    retry?: { maxAttempts: number }
    run: (payload: TPayload) => Promise<TOutput>
  }): { id: string }
  export const wait: {
    createToken(options: { timeout?: string; idempotencyKey?: string }): Promise<{ id: string; url: string }>
    forToken<T>(id: string): Promise<{ ok: true; output: T } | { ok: false; error: Error }>
    completeToken<T>(id: string, data: T): Promise<{ success: boolean }>
  }
}
