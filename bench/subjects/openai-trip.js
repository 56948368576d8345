// @ts-check
import { createOpenAi } from '../peers/openai.js'

/** A paused run as text and back. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ turns }) {
  const peer = createOpenAi()
  const paused = await peer.pause(turns)
  return { run: () => peer.roundTrip(paused) }
}
