// @ts-check
import { createOpenAi } from '../peers/openai.js'

/** A paused run as text, restored, approved and run to its end. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ turns }) {
  const peer = createOpenAi()
  const paused = await peer.pause(turns)
  return { run: () => peer.textCycle(paused) }
}
