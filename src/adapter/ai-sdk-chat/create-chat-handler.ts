import type { Auth, Caller } from '../../gateway.ts'
import {
  type Actor,
  type Agent,
  HoldpointError,
  type JsonObject,
  openDesk,
  RunState,
  type Store,
  ThreadBusy,
  ThreadPaused,
} from '../../index.ts'
import { warn } from '../../ports/warnings.ts'
import { InputInvalid } from '../../ports.ts'
import { type ChatPost, chatIdIn, chatPost, readBody, saidBy } from './chat-request.ts'
import { eventStream } from './event-stream.ts'
import { begin, begun, type Conversation, followed } from './follow.ts'
import { wordsOf } from './steps.ts'
import { takeAnswers } from './take-answers.ts'
import { streamOf } from './to-ui-message-stream.ts'
import { toUIMessages } from './to-ui-messages.ts'

/** Options of `createChatHandler`. */
export interface ChatHandlerOptions {
  agent: Agent
  store: Store
  /** Who the user of the page is: as for the gateway. Their answers are their decisions. */
  auth: Auth
  /** The thread of a chat. Default: one that belongs to this user alone, whatever id the page sends. */
  threadId?: (chatId: string, caller: Caller) => string
  /** The application's own data for a new run. */
  context?: (chatId: string, caller: Caller) => JsonObject | Promise<JsonObject>
  /** Live objects for tools, never stored. */
  deps?: unknown
  /** Is told why a run failed; the page gets the code alone. Default: a warning of the process. */
  onError?: (error: HoldpointError, threadId: string) => void
  /** The longest body of a request, with the files in it. Default: 10 MiB. */
  maxBodyBytes?: number
}

const KNOWN = ['agent', 'store', 'auth', 'threadId', 'context', 'deps', 'onError', 'maxBodyBytes']

const MAX_BODY_BYTES = 10 * 1024 * 1024

/**
 * The server behind a `useChat` page of the AI SDK: `POST …` takes what the user said, or the answers to approvals, and streams the run; `GET …/CHAT/stream`
 * shows the current message again and follows it (204 if there is nothing to show); `GET …/CHAT/messages` gives the whole conversation, for
 * `useChat({ messages })`. The journal is the history: of what the page posts, only its last message counts.
 */
export function createChatHandler(options: ChatHandlerOptions): (request: Request) => Promise<Response> {
  const unknown = Object.keys(options ?? {}).find((key) => !KNOWN.includes(key))
  if (unknown !== undefined) throw new InputInvalid(`createChatHandler() has no option "${unknown}".`)
  for (const name of ['agent', 'store', 'auth'] as const) {
    if (!options?.[name]) throw new InputInvalid(`createChatHandler() needs ${name}.`)
  }
  return async (request) => {
    try {
      return await answer(options, request)
    } catch (error) {
      // What is wrong with the request is for the page; what is wrong here is for the server that calls this.
      if (error instanceof InputInvalid) return refusal(400, error.message)
      if (error instanceof ThreadPaused) return refusal(409, 'This conversation waits for a decision.')
      if (error instanceof ThreadBusy) return refusal(409, 'This conversation is being answered.')
      throw error
    }
  }
}

async function answer(options: ChatHandlerOptions, request: Request): Promise<Response> {
  const who = await authenticated(options, request)
  if (who instanceof Response) return who
  if (request.headers.get('sec-fetch-site') === 'cross-site') return refusal(403, 'This is not for other sites.')
  if (request.method === 'POST') {
    // Pages of other sites can send no JSON without being asked first, so that a cookie is no leave for them to decide.
    if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) return refusal(415, 'Send JSON.')
    const body = await readBody(request, options.maxBodyBytes ?? MAX_BODY_BYTES)
    if (!body) return refusal(413, 'The message is too long.')
    return posted(options, chatPost(body.json), who)
  }
  const [, chatId, what] = /\/([^/]+)\/(stream|messages)\/?$/.exec(new URL(request.url).pathname) ?? []
  if (request.method !== 'GET' || chatId === undefined) {
    return refusal(405, 'POST a message, or GET CHAT/stream or CHAT/messages.')
  }
  const conversation = conversationOf(options, chatIdIn(chatId), who)
  const state = await load(conversation)
  if (what === 'messages') {
    return Response.json(state ? toUIMessages(state) : [], { headers: { 'cache-control': 'no-store' } })
  }
  if (state?.status !== 'open') return new Response(null, { status: 204 })
  return eventStream(streamOf(followed(conversation, { state, has: [] })))
}

async function authenticated({ auth }: ChatHandlerOptions, request: Request): Promise<Caller | Response> {
  let outcome: Awaited<ReturnType<Auth['authenticate']>>
  try {
    outcome = await auth.authenticate({ header: (name) => request.headers.get(name) ?? undefined })
  } catch {
    return refusal(503, 'The credential cannot be checked now.')
  }
  if (!outcome.ok) return refusal(401, outcome.detail)
  if (outcome.caller.roles.includes('agent')) return refusal(403, 'This is for people, not for agents.')
  return outcome.caller
}

async function posted(options: ChatHandlerOptions, post: ChatPost, caller: Caller): Promise<Response> {
  const conversation = conversationOf(options, post.chatId, caller)
  const { store, threadId } = conversation
  if (post.last.role === 'user') {
    const state = post.isRepeat ? await load(conversation) : undefined
    if (state && isAnswerTo(state, post)) return eventStream(streamOf(followed(conversation, { state, has: [] })))
    const context = await options.context?.(post.chatId, caller)
    const input = [{ role: 'user' as const, content: saidBy(post.last) }]
    return eventStream(streamOf(begun(conversation, await begin(conversation, input, context))))
  }
  const desk = openDesk({ store })
  const say = await takeAnswers({ desk, by: actorOf(caller), threadId }, post)
  const state = await load(conversation)
  if (!state) return refusal(404, 'There is no such conversation.')
  // A message of an earlier run is not what goes on here.
  const has = post.last.id === state.runId ? (post.last.parts ?? []) : []
  return eventStream(streamOf(followed(conversation, { state, has, say })))
}

/** Whether the last run answers what the page wants to have answered again: then it is shown, not repeated. */
function isAnswerTo(state: RunState, { last }: ChatPost): boolean {
  const asked = state.messages.findLast(({ role }) => role === 'user')
  return asked !== undefined && wordsOf(asked.content) === wordsOf(saidBy(last))
}

function conversationOf(options: ChatHandlerOptions, chatId: string, caller: Caller): Conversation {
  const { agent, deps, threadId = ownThread, onError = warnOf } = options
  const store = options.store.tenant(caller.tenant)
  const id = threadId(chatId, caller)
  const onFailure = (error: HoldpointError) => onError(error, id)
  return { agent, store, threadId: id, onFailure, ...(deps === undefined ? {} : { deps }) }
}

function warnOf(error: HoldpointError, threadId: string): void {
  warn('chat_failed', `The run of thread "${threadId}" failed: ${error.message}`)
}

/** Users choose the ids of their chats. So the thread has its user's name in it, and nobody reaches another's. */
function ownThread(chatId: string, { sub }: Caller): string {
  return `chat/${encodeURIComponent(sub)}/${encodeURIComponent(chatId)}`
}

async function load({ agent, store, threadId }: Conversation): Promise<RunState | undefined> {
  return RunState.load(agent, { store, threadId, messages: true }).catch((error: unknown) => {
    if (HoldpointError.isInstance(error) && error.code === 'thread_not_found') return undefined
    throw error
  })
}

function actorOf({ sub, groups }: Caller): Actor {
  return { kind: 'person', id: sub, via: 'chat', ...(groups.length > 0 ? { groups: [...groups] } : {}) }
}

function refusal(status: number, detail: string): Response {
  return new Response(detail, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
