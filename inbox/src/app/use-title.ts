import { useEffect } from 'react'

/** Shows how much waits in the window's title and icon. */
export function useTitle(waiting: string): void {
  useEffect(() => {
    document.title = waiting === '' ? 'holdpoint' : `(${waiting}) holdpoint`
    const link =
      document.querySelector<HTMLLinkElement>('link[rel="icon"]') ??
      document.head.appendChild(document.createElement('link'))
    link.rel = 'icon'
    link.href = `data:image/svg+xml,${encodeURIComponent(iconFor(waiting))}`
  }, [waiting])
}

function iconFor(waiting: string): string {
  const inside =
    waiting === ''
      ? '<path d="M13 10v12M19 10v12" stroke="#0b6459" stroke-width="3" stroke-linecap="round"/>'
      : `<text x="16" y="22" font-family="sans-serif" font-size="${waiting.length > 2 ? 12 : 17}" font-weight="700" text-anchor="middle" fill="#0b6459">${waiting.length > 3 ? '99' : waiting}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="13" fill="#fff" stroke="#0b6459" stroke-width="3"/>${inside}</svg>`
}
