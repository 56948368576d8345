import { usePreferences } from '../app/preferences.tsx'
import { keyName } from './key-name.ts'

/** The keys of a button, unless they are switched off. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  const [{ keys: on }] = usePreferences()
  if (!on) return null
  return (
    <span className="kbds" aria-hidden="true">
      {keys.map((key) => (
        <kbd key={key}>{keyName(key)}</kbd>
      ))}
    </span>
  )
}
