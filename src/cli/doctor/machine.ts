import { createServer } from 'node:net'
import { type Finding, failure, ok } from './finding.ts'

const OLDEST = [20, 19] as const

/** Whether this Node is new enough. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const isNew = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  if (isNew) return ok('node', `Node ${version}`)
  return failure('node', `This is Node ${version}.`, `Use Node ${OLDEST.join('.')} or newer.`)
}

/** Whether a port can be listened on. */
export function checkPort(port: number, host: string): Promise<Finding> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const advice = 'Stop the other program, or choose another port. If holdpoint itself runs here, all is well.'
      resolve(failure('port', `Port ${port} of ${host} cannot be listened on (${code}).`, advice))
    })
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => resolve(ok('port', `Port ${port} of ${host} is free`)))
    })
  })
}
