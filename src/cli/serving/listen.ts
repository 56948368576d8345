import { type Gateway, type GatewayServer, serve } from '../../gateway.ts'
import { CliError, UsageError } from '../command-line/errors.ts'

/** The usual port, and how many after it are tried if nobody asked for one. */
const USUAL = 4747
const TRIED = 20

/** The port that an option or PORT names; 0 is any that is free. */
export function toPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError(`a port is a number from 0 to 65535, not '${text}'`)
  return port
}

/** Serves a gateway at the port that was asked for, or else at the usual one or the next that is free. */
export async function listen(
  gateway: Gateway,
  { port, host, graceSeconds = 2 }: { port: number | undefined; host: string; graceSeconds?: number },
): Promise<GatewayServer> {
  const first = port ?? USUAL
  for (let next = first; ; next++) {
    try {
      return await serve(gateway, { port: next, host, graceSeconds })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && port === undefined && next < first + TRIED) continue
      throw cannotListen(error as NodeJS.ErrnoException, { port: next, host })
    }
  }
}

/** An address that was asked for, and the flags that name it. */
interface Place {
  readonly port: number
  readonly host: string
  readonly flags?: { readonly port: string; readonly host: string }
}

/** Says what to do about an address that cannot be listened on. */
export function cannotListen(
  error: NodeJS.ErrnoException,
  { port, host, flags = { port: '--port or PORT', host: '--host' } }: Place,
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new CliError(
        'input_invalid',
        `Port ${port} is taken by another program. Choose another with ${flags.port}; 0 takes any that is free.`,
      )
    case 'EACCES':
      return new CliError(
        'input_invalid',
        `This user may not listen on port ${port}. Choose one above 1023 with ${flags.port}.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CliError('input_invalid', `This machine has no address ${host}. Choose another with ${flags.host}.`)
    default:
      return error
  }
}
