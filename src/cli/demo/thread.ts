import type { Store } from '../../index.ts'

/** Reads how far a thread has come, and nothing else of it. */
export async function versionOf(store: Store, threadId: string): Promise<number> {
  return (await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })).version
}

/** The demo's threads are called demo/1, demo/2 and so on: the last one that there is, 0 if there is none. */
export async function lastDemo(store: Store): Promise<number> {
  let last = 0
  while ((await versionOf(store, demoThread(last + 1))) > 0) last += 1
  return last
}

/** The name of a demo's thread. */
export function demoThread(number: number): string {
  return `demo/${number}`
}
