import { canonicalJson, sha256 } from './json/canonical.ts'
import type { RequestHost } from './request.ts'

/** Identifies a conversation of one principal at a host, within its tenant. Standing decisions for a conversation are found by it. */
export function conversationKey({ source, conversation, principal = null }: ConversationName): string {
  return sha256(canonicalJson({ v: 1, source, conversation, principal }))
}

type ConversationName = Pick<RequestHost, 'source' | 'conversation'> & { principal?: string | null | undefined }

/** The id of the record with a conversation's bookmark. */
export function bookmarkId(source: string, conversation: string): string {
  return sha256(canonicalJson([source, conversation]))
}

/** The id of the record with a named value beside that bookmark. */
export function namedBookmarkId(source: string, conversation: string, name: string): string {
  return `${besideBookmark(bookmarkId(source, conversation))}${sha256(name)}`
}

/** The beginning of the ids of all records beside a bookmark. */
export function besideBookmark(id: string): string {
  return `${id}/`
}

/** The beginning of the names of all threads that hold calls from outside. */
export const HOST_THREADS = 'gate/'

/** The beginning of the names of a conversation's threads. Different conversations of a source have different ones. */
export function conversationPrefix(source: string, conversation: string): string {
  return `${sourcePrefix(segment(source))}${segment(conversation)}/`
}

/** The same, for a source as names of threads have it. */
export function conversationUnder(source: string, conversation: string): string {
  return `${sourcePrefix(source)}${segment(conversation)}/`
}

/** The beginning of the names of a source's threads. */
export function sourcePrefix(source: string): string {
  return `${HOST_THREADS}${source}/`
}

/** The beginning of the names of all threads of the same conversation. */
export function threadsBeside(threadId: string): string {
  return threadId.slice(0, threadId.lastIndexOf('/') + 1)
}

/** The parts of the name of a call's thread, or of a beginning of it: `gate/SOURCE/CONVERSATION/ID`. `undefined`: it is no such name. */
export function hostThread(name: string): { source: string; conversation: string; id: string } | undefined {
  if (!name.startsWith(HOST_THREADS)) return undefined
  const [source = '', conversation = '', id = ''] = name.slice(HOST_THREADS.length).split('/')
  return { source, conversation, id }
}

/** The longest part of a name that is shown as it is. */
const LONGEST = 60

/** A name as a part of a thread's name. What cannot be shown as it is ends with a part of its hash, so that no two names become the same. */
function segment(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._:@+=-]/g, '_').slice(0, LONGEST)
  return plain === name ? plain : `${plain}~${sha256(name).slice(0, 16)}`
}
