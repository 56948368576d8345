// @ts-check
import { Agent, get, request } from 'node:http'

/** @typedef {ReturnType<typeof createReviewers>} Reviewers */

/** People with a sign-in each, at one gateway. @param {{ port: number, cookies: string[] }} at */
export function createReviewers({ port, cookies }) {
  const origin = `http://127.0.0.1:${port}`
  const calls = new Agent({ keepAlive: true })
  const streams = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  /** @type {import('node:http').ClientRequest[]} */
  const watching = []
  let asked = 0

  /** A call by one after the other. @param {string} path @param {unknown} [body] @returns {Promise<any>} */
  function call(path, body) {
    const cookie = cookies[asked++ % cookies.length] ?? ''
    const headers = { cookie, origin, 'holdpoint-csrf': '1', 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST'
      const sent = request(`${origin}${path}`, { method, agent: calls, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          text += part
        })
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text))
          else reject(new Error(`${path}: HTTP ${response.statusCode} ${text}`))
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  /** Resolves when the stream has its first id. @param {string} cookie */
  function watchOne(cookie) {
    return new Promise((resolve, reject) => {
      const stream = get(`${origin}/v1/events`, { agent: streams, headers: { cookie } }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`/v1/events: HTTP ${response.statusCode}`))
        response.on('data', resolve)
        response.on('error', () => undefined)
      })
      stream.on('error', reject)
      watching.push(stream)
    })
  }

  return {
    /** Opens or closes live streams until so many people have one. @param {number} count */
    async watch(count) {
      for (const stream of watching.splice(count)) stream.destroy()
      await Promise.all(cookies.slice(watching.length, count).map(watchOne))
    },
    /** Reads the newest open requests. */
    async page() {
      const { requests } = await call('/v1/requests?limit=50')
      if (requests.length !== 50) throw new Error(`a page has ${requests.length} requests`)
    },
    /** Reads a request and approves it. Resolves to when the decision was sent and when it was answered. @param {string} id */
    async decide(id) {
      const { version, digest } = (await call(`/v1/requests/${id}`)).request
      const sent = process.hrtime.bigint()
      await call(`/v1/requests/${id}/decide`, { version, digest, decision: { type: 'approve' } })
      return { sent, answered: process.hrtime.bigint() }
    },
    close() {
      calls.destroy()
      streams.destroy()
    },
  }
}
