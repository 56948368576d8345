import type { CardLayout } from '../render/request-facts.ts'
import type { Context } from './context.ts'

/** How requests are laid out where this command prints. */
export function layoutOf(context: Context, options: { full: boolean }): CardLayout {
  return { style: context.style, width: context.columns(), now: context.now(), full: options.full }
}
