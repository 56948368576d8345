import type { CardLayout } from '../render/request-facts.ts'
import type { Context } from './context.ts'

/** How a command lays requests out. */
export function layoutOf(context: Context, options: { full: boolean }): CardLayout {
  return { style: context.style, width: context.columns(), now: context.now(), full: options.full }
}
