import { expect, onTestFinished } from 'vitest'
import { startChild } from '../../store/child-process.ts'

/** Locks an SQLite file, as another program would: a process of its own holds it, until it is released or the test is over. */
export async function lockFile(path: string, begin = 'BEGIN IMMEDIATE'): Promise<{ release(): Promise<void> }> {
  const child = startChild('locker', { path, begin })
  onTestFinished(() => void child.process.kill('SIGKILL'))
  await child.firstLine
  return {
    release: async () => {
      child.process.kill('SIGTERM')
      expect(await child.done).toMatchObject({ code: 0, errors: '' })
    },
  }
}
