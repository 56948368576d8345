import type { Streams } from '../ports/streams.ts'
import { isDuration } from '../protocol/checks/durations.ts'
import type { OutputOf, ParametersSchema } from '../protocol/checks/standard-schema.ts'
import { ToolInvalid } from '../protocol/errors/errors.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import { toTraceparent } from '../protocol/trace-context.ts'
import type { Tool } from '../runtime/definition/definition.ts'
import { tool } from '../runtime/definition/tool/tool.ts'
import type { ToolContext } from '../runtime/definition/tool/tool-context.ts'
import type { ToolOptions } from '../runtime/definition/tool/tool-options.ts'
import { loadOtel } from '../tracing/otel.ts'
import { RemoteCall } from './remote-call.ts'

/** Options of a tool that runs at a person's client. */
export interface RemoteToolOptions<TSchema extends ParametersSchema, TDeps = unknown>
  extends Omit<ToolOptions<TSchema, TDeps>, 'execute'> {
  streams: Streams
  /** The session whose client runs it, or a function that finds it. */
  session: string | ((ctx: ToolContext<unknown, TDeps>) => string | Promise<string>)
  /** The client's time limit. Default 3600. */
  timeoutSeconds?: number
  /**
   * Whether the call stays with the client when the run stops or this process dies, so that a resumed run waits for the
   * same one. Otherwise a stop retracts it, and after a crash its outcome is unknown. Default `false`.
   */
  resumable?: boolean
  /** Called with the client's progress. If set, the session also gets notifications of type `Progress`. */
  onProgress?(progress: JsonValue, ctx: ToolContext<unknown, TDeps>): void
  /** The maximum size of a message. Default 262,144. */
  maxMessageBytes?: number
}

/**
 * Defines a tool whose body runs at the client: its arguments go out on a message stream, and the reply is its result.
 * The client answers with `serveTools`, or with any reply to a question of type `RemoteTool`.
 */
export function remoteTool<TSchema extends ParametersSchema, TDeps = unknown>(
  options: RemoteToolOptions<TSchema, TDeps>,
): Tool {
  const { streams, session, onProgress, maxMessageBytes = 262_144, timeoutSeconds = 3600, ...rest } = options
  if (typeof streams?.takeReply !== 'function') throw new ToolInvalid(rest.name, 'it needs streams')
  if (typeof session !== 'function' && (typeof session !== 'string' || session === ''))
    throw new ToolInvalid(rest.name, 'it needs a session, or a function that finds it')
  if ('execute' in rest) throw new ToolInvalid(rest.name, 'its work is done by the client: leave execute out')
  if (!(isDuration(timeoutSeconds) && timeoutSeconds > 0))
    throw new ToolInvalid(rest.name, 'timeoutSeconds must be a positive number')
  const { resumable = false, idempotent = false } = rest
  return tool<TSchema, TDeps>({
    ...rest,
    async execute(args: OutputOf<TSchema>, ctx: ToolContext<unknown, TDeps>) {
      const call = new RemoteCall({
        ...{ streams, maxMessageBytes, timeoutSeconds, resumable, idempotent },
        session: typeof session === 'function' ? await session(ctx) : session,
        toolName: rest.name,
        args: args as JsonObject,
        key: ctx.idempotencyKey,
        fencingToken: ctx.fencingToken,
        attempt: ctx.attempt,
        traceparent: toTraceparent(loadOtel()?.active()),
        signal: ctx.signal,
        onProgress: onProgress && ((progress) => onProgress(progress, ctx)),
      })
      return call.run()
    },
  })
}
