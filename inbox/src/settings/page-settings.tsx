import { type ReactNode, useId, useState } from 'react'
import { usePreferences } from '../app/preferences.tsx'
import { useWords } from '../i18n/i18n.tsx'
import { languages, tagOf } from '../i18n/language.ts'
import { themes } from '../theme/theme.ts'
import { Group } from './group.tsx'
import { words } from './words.ts'

const NAMES = { en: 'English', zh: '中文' } as const

/** How the page looks and behaves on this device. */
export function PageSettings() {
  const text = useWords(words)
  const [{ language, theme, keys }, change] = usePreferences()
  return (
    <Group title={text.page}>
      <Choice legend={text.language}>
        {languages.map((each) => (
          <Radio key={each} name="language" checked={each === language} onChoose={() => change({ language: each })}>
            <span lang={tagOf[each]}>{NAMES[each]}</span>
          </Radio>
        ))}
      </Choice>
      <Choice legend={text.theme}>
        {themes.map((each) => (
          <Radio key={each} name="theme" checked={each === theme} onChoose={() => change({ theme: each })}>
            {text.themes[each]}
          </Radio>
        ))}
      </Choice>
      <Switch label={text.keys} hint={text.keysText} checked={keys} onChange={(next) => change({ keys: next })} />
      <Notifications />
    </Group>
  )
}

/** Asks the browser when it is switched on, never before. */
function Notifications() {
  const text = useWords(words)
  const [{ notifications }, change] = usePreferences()
  const has = typeof Notification !== 'undefined'
  const [denied, setDenied] = useState(has && Notification.permission === 'denied')
  const turn = async (on: boolean) => {
    if (!on) return change({ notifications: false })
    const answer = await Notification.requestPermission()
    setDenied(answer === 'denied')
    change({ notifications: answer === 'granted' })
  }
  const hint = !has ? text.notifyMissing : denied ? text.notifyDenied : text.notifyText
  return (
    <Switch
      label={text.notify}
      hint={hint}
      checked={notifications && has && !denied}
      disabled={!has}
      onChange={(on) => void turn(on)}
    />
  )
}

function Choice({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="choice">
      <legend className="label">{legend}</legend>
      <div className="choice-options">{children}</div>
    </fieldset>
  )
}

interface RadioProps {
  name: string
  checked: boolean
  onChoose: () => void
  children: ReactNode
}

function Radio({ name, checked, onChoose, children }: RadioProps) {
  return (
    <label className="check">
      <input type="radio" name={name} checked={checked} onChange={onChoose} />
      <span>{children}</span>
    </label>
  )
}

interface SwitchProps {
  label: string
  hint: string
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
}

function Switch({ label, hint, checked, disabled = false, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="switch-row">
      <label className="switch">
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          aria-describedby={id}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span className="switch-face" />
        <span>{label}</span>
      </label>
      <p id={id} className="quiet">
        {hint}
      </p>
    </div>
  )
}
