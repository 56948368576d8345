import type { HttpRequest } from '../http/call.ts'
import type { Reply } from '../http/reply.ts'

/** Headers of everything that a browser shows. Nothing inline, nothing from elsewhere, never in a frame. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "font-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Whether a person opens an address in a browser, rather than a program calling. */
export function isNavigation({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html')
}

/** A page of plain text. It repeats nothing of the request. */
export function plainPage({ status, title, text }: { status: number; title: string; text: string }): Reply {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title></head>
<body><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></body>
</html>
`
  return { status, body, headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' } }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
