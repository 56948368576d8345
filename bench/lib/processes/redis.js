// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { PROGRAMS, requireProgram } from '../../../scripts/lib/programs.js'
import { freePort } from './free-port.js'

/** A Redis server of a case's own, on a free port of this machine; ends with the work. @template T @param {string} dir @param {(port: number) => Promise<T>} work @returns {Promise<T>} */
export async function withRedis(dir, work) {
  const binary = requireProgram(PROGRAMS.redis)
  const port = await freePort()
  const argv = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir]
  const server = spawn(binary, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const end = () => server.kill('SIGKILL')
  process.once('exit', end)
  try {
    let said = ''
    await new Promise((resolve, reject) => {
      server.once('exit', () => reject(new Error(`Redis did not start: ${said}`)))
      server.stdout.on('data', (text) => {
        said += text
        if (said.includes('Ready to accept')) resolve(undefined)
      })
    })
    return await work(port)
  } finally {
    process.off('exit', end)
    const gone = once(server, 'exit')
    end()
    await gone
  }
}

/** A connection without any driver, for one command after the other. @param {number} port */
export async function bareConnection(port) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  return {
    /** What is answered first; short answers come in one piece. @param {string} command @returns {Promise<string>} */
    async say(command) {
      socket.write(`${command}\r\n`)
      let answer = String((await once(socket, 'data'))[0])
      const length = Number(/^\$(\d+)\r\n/.exec(answer)?.[1] ?? 0)
      while (Buffer.byteLength(answer) < length) answer += String((await once(socket, 'data'))[0])
      return answer
    },
    close: () => socket.destroy(),
  }
}
