import { z } from 'zod'
import { lazy } from '../protocol/checks/lazy.ts'

const at = lazy(() => ({ x: z.number(), y: z.number() }))
const button = lazy(() => z.enum(['left', 'right', 'wheel', 'back', 'forward']))

/** One action on a computer. */
export const computerAction = lazy(() =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('click'), ...at(), button: button().default('left') }),
    z.object({ type: z.literal('double_click'), ...at() }),
    z.object({ type: z.literal('move'), ...at() }),
    z.object({ type: z.literal('scroll'), ...at(), scroll_x: z.number(), scroll_y: z.number() }),
    z.object({ type: z.literal('drag'), path: z.array(z.object(at())).min(2) }),
    z.object({ type: z.literal('type'), text: z.string() }),
    z.object({ type: z.literal('keypress'), keys: z.array(z.string()).min(1) }),
    z.object({ type: z.literal('wait') }),
    z.object({ type: z.literal('screenshot') }),
  ]),
)
/** One action on a computer. */
export type ComputerAction = z.infer<ReturnType<typeof computerAction>>
/** A mouse button. */
type MouseButton = z.infer<ReturnType<typeof button>>

/** A computer that the application provides. Screenshots are base64 PNGs. */
export interface Computer {
  screenshot(): Promise<string>
  click(x: number, y: number, button: MouseButton): Promise<void>
  doubleClick(x: number, y: number): Promise<void>
  scroll(x: number, y: number, scrollX: number, scrollY: number): Promise<void>
  type(text: string): Promise<void>
  wait(): Promise<void>
  move(x: number, y: number): Promise<void>
  keypress(keys: string[]): Promise<void>
  drag(path: [number, number][]): Promise<void>
}

/** The methods that a computer must have. */
export const COMPUTER_METHODS = [
  'screenshot',
  'click',
  'doubleClick',
  'scroll',
  'type',
  'wait',
  'move',
  'keypress',
  'drag',
] as const satisfies readonly (keyof Computer)[]

/** Performs one action. A screenshot is always taken after the last one. */
export async function perform(computer: Computer, action: ComputerAction): Promise<void> {
  switch (action.type) {
    case 'click':
      return computer.click(action.x, action.y, action.button)
    case 'double_click':
      return computer.doubleClick(action.x, action.y)
    case 'move':
      return computer.move(action.x, action.y)
    case 'scroll':
      return computer.scroll(action.x, action.y, action.scroll_x, action.scroll_y)
    case 'drag':
      return computer.drag(action.path.map(({ x, y }) => [x, y]))
    case 'type':
      return computer.type(action.text)
    case 'keypress':
      return computer.keypress(action.keys)
    case 'wait':
      return computer.wait()
    case 'screenshot':
      return undefined
    default:
      return action satisfies never
  }
}

/** Describes one action for people. */
export function render(action: ComputerAction): string {
  switch (action.type) {
    case 'click':
      return `click ${action.button} at (${action.x}, ${action.y})`
    case 'double_click':
      return `double click at (${action.x}, ${action.y})`
    case 'move':
      return `move to (${action.x}, ${action.y})`
    case 'scroll':
      return `scroll by (${action.scroll_x}, ${action.scroll_y}) at (${action.x}, ${action.y})`
    case 'drag':
      return `drag ${action.path.map(({ x, y }) => `(${x}, ${y})`).join(' to ')}`
    case 'type':
      return `type ${JSON.stringify(action.text)}`
    case 'keypress':
      return `press ${action.keys.join(' + ')}`
    case 'wait':
      return 'wait'
    case 'screenshot':
      return 'take a screenshot'
    default:
      return action satisfies never
  }
}
