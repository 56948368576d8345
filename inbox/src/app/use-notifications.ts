import { useEffect, useRef } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { usePreferences } from './preferences.tsx'

/** Tells a person who looks elsewhere that something new waits, if they want that. It says how much, never what. */
export function useNotifications(waiting: number | undefined): void {
  const { shell } = useInboxWords()
  const [{ notifications }] = usePreferences()
  const before = useRef(waiting)
  useEffect(() => {
    const grew = waiting !== undefined && before.current !== undefined && waiting > before.current
    before.current = waiting
    if (
      !grew ||
      !notifications ||
      !document.hidden ||
      !('Notification' in globalThis) ||
      Notification.permission !== 'granted'
    )
      return
    const notification = new Notification(shell.notificationTitle, {
      body: shell.waiting(String(waiting)),
      tag: 'holdpoint',
    })
    notification.onclick = () => window.focus()
  }, [waiting, notifications, shell])
}
