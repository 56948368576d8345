// @ts-check
import { connect } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * One connection that is kept, with one request at a time and nothing else: the load must cost less than what it measures.
 *
 * @param {number} port
 * @param {string} token
 * @returns {Promise<HttpConnection>}
 * @typedef {{ post: (path: string, body: string) => Promise<{ status: number, body: string }>, get: (path: string) => Promise<{ status: number, body: string }>, close: () => void }} HttpConnection
 */
export async function openConnection(port, token) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  /** @type {{ resolve: (answer: { status: number, body: string }) => void, reject: (error: Error) => void } | undefined} */
  let waiting
  let buffer = Buffer.alloc(0)
  const fail = (/** @type {Error} */ error) => waiting?.reject(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))
  socket.on('data', (chunk) => {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk])
    const end = buffer.indexOf(HEAD_END)
    if (end === -1) return
    const head = buffer.latin1Slice(0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (buffer.length < end + 4 + length) return
    const answer = { status: Number(head.slice(9, 12)), body: buffer.toString('utf8', end + 4, end + 4 + length) }
    buffer = buffer.subarray(end + 4 + length)
    const { resolve } = /** @type {NonNullable<typeof waiting>} */ (waiting)
    waiting = undefined
    resolve(answer)
  })
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        )
      }),
    get: (path) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`)
      }),
    close: () => socket.destroy(),
  }
}
