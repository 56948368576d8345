import type { HilMessage } from '../../protocol/hil/hil.ts'
import { checkName } from '../shared/check.ts'
import type { Watches } from '../shared/watches.ts'
import { checkMessage } from '../shared/wire.ts'
import type { Bell } from './bell.ts'
import type { Connection } from './connection.ts'
import { type Place, placeOf } from './place.ts'
import type { Tokens } from './tokens.ts'

/** What all views of the same streams share. */
export interface Backing {
  readonly prefix: string
  readonly maxNotifications: number
  readonly connection: Connection
  readonly waiting: { readonly watches: Watches; readonly bell: Bell; readonly netMs: number }
  readonly tokens: Tokens
}

/** The sessions of one tenant: where they are stored, and how a command is repeated safely. */
export class TenantSessions {
  readonly backing: Backing
  readonly #tenantId: string

  constructor(backing: Backing, tenantId: string) {
    this.backing = backing
    this.#tenantId = tenantId
  }

  placeOf(session: string): Place {
    checkName('session', session)
    return placeOf(this.backing.prefix, this.#tenantId, session)
  }

  /** The name of an attempt. The same command has the same name. */
  attemptName(...command: readonly string[]): string {
    return JSON.stringify([this.#tenantId, ...command])
  }

  /** Runs a command with a token. If it fails, the same command uses the same token again, so that it is the same attempt (R2). */
  async attempt<T>(command: readonly string[], work: (token: string) => Promise<T>): Promise<T> {
    const { tokens } = this.backing
    const name = this.attemptName(...command)
    const token = tokens.take(name)
    try {
      return await work(token)
    } catch (error) {
      tokens.keep(name, token)
      throw error
    }
  }

  /** A notice as arguments of a script. */
  noticeArgs(notice: HilMessage | undefined): (string | number)[] {
    const { maxNotifications } = this.backing
    if (!notice) return ['', '', '', maxNotifications]
    checkMessage(notice)
    return [notice.msg_id, JSON.stringify(notice.content), metaOf(notice), maxNotifications]
  }
}

/** What is stored beside a message's content; nothing if there is nothing. */
export function metaOf(message: HilMessage): string {
  // Most have nothing beside, and taking members out of an object costs more than looking at it.
  if (Object.keys(message).every((name) => OWN_FIELDS.includes(name))) return ''
  const { msg_id: _id, msg_type: _type, content: _content, ...beside } = message
  return JSON.stringify(beside)
}

/** The members of a message that have fields of their own. */
const OWN_FIELDS = ['msg_id', 'msg_type', 'content']
