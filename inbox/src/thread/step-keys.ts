import type { StoryItem } from 'holdpoint/client'

/** A key for each step that stays the same when steps are added before and after it. */
export function stepKeys(story: readonly StoryItem[]): string[] {
  const counts = new Map<string, number>()
  return story.map((item) => {
    const name = 'id' in item ? item.id : 'tool' in item ? item.tool : ''
    const key = `${item.at} ${item.kind} ${name}`
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    return `${key} ${nth}`
  })
}
