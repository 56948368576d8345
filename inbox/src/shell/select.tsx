import type { ComponentProps } from 'react'
import { Icon } from './icon.tsx'

/** A choice of one. The style of inputs takes the browser's own sign of it away. */
export function Select(props: ComponentProps<'select'>) {
  return (
    <span className="affix">
      <select {...props} className="input" />
      <Icon name="down" className="affix-after" />
    </span>
  )
}
