import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { checked, type Finding, ok, warning } from './finding.ts'
import { withPostgres } from './postgres.ts'

const WAIT_MS = 2000

/** Where processes write, and where they listen. */
export interface Route {
  readonly connectionString: string
  /** Default: where they write. */
  readonly listen: string | undefined
  /** Whether HOLDPOINT_LISTEN counts here: a queue that is not in the store's database listens where it writes. */
  readonly mayGoRound: boolean
}

/** Whether what one connection announces reaches another. Behind a PgBouncer that pools transactions it does not, without an error. */
export function checkNotifications(route: Route, what: string): Promise<readonly Finding[]> {
  const { connectionString, listen } = route
  const advice = 'HOLDPOINT_LISTEN must be the address of the server itself: check it.'
  return checked(`${what} notifications`, advice, () =>
    withPostgres(listen ?? connectionString, (listener) =>
      withPostgres(connectionString, async (writer) => {
        if (await arrives(listener, writer))
          return [ok(`${what} notifications`, 'What one process writes reaches the others')]
        return [missed(`${what} notifications`, route)]
      }),
    ),
  )
}

async function arrives(listener: Client, writer: Client): Promise<boolean> {
  const channel = `holdpoint_doctor_${randomUUID().replaceAll('-', '')}`
  let timer: NodeJS.Timeout | undefined
  const heard = new Promise<boolean>((resolve) => {
    listener.on('notification', () => resolve(true))
    timer = setTimeout(resolve, WAIT_MS, false)
  })
  try {
    await listener.query(`LISTEN ${channel}`)
    await writer.query(`NOTIFY ${channel}`)
    return await heard
  } finally {
    clearTimeout(timer)
  }
}

function missed(what: string, { listen, mayGoRound }: Route): Finding {
  const seen = `No notification arrived within ${WAIT_MS / 1000} seconds`
  const late = 'writes of other processes are noticed up to two seconds late'
  return listen === undefined
    ? warning(
        what,
        `${seen}: ${late}.`,
        mayGoRound
          ? 'Behind a PgBouncer, set HOLDPOINT_LISTEN to the address of the server itself.'
          : 'Behind a PgBouncer, name the queue by the address of the server itself.',
      )
    : warning(
        what,
        `${seen} at the address of HOLDPOINT_LISTEN: ${late}.`,
        'It must be the server of the store, and not a PgBouncer that pools transactions.',
      )
}
