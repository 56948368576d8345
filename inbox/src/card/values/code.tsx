import type { ReactNode } from 'react'
import { SafeText } from './safe-text.tsx'

const KEYWORDS =
  'alter|and|as|begin|between|by|case|commit|create|delete|distinct|drop|else|end|exists|false|from|grant|group|having|in|index|inner|insert|interval|into|is|join|left|like|limit|not|null|on|or|order|outer|returning|revoke|right|rollback|select|set|table|then|true|truncate|union|update|using|values|view|when|where|with'
const SQL = new RegExp(
  `(--[^\\n]*|/\\*[\\s\\S]*?\\*/)|('(?:[^']|'')*')|\\b(${KEYWORDS})\\b|\\b(\\d+(?:\\.\\d+)?)\\b`,
  'gi',
)
const JSON_TOKENS = /()("(?:[^"\\]|\\.)*")|\b(true|false|null)\b|(-?\b\d+(?:\.\d+)?\b)/g

/** Code, with its parts told apart. It wraps: nothing dangerous may lie off screen. */
export function Code({ text, language }: { text: string; language: 'sql' | 'json' | 'plain' }) {
  return (
    <pre className="code">
      <code>
        {language === 'plain' ? <SafeText text={text} code /> : coloured(text, language === 'sql' ? SQL : JSON_TOKENS)}
      </code>
    </pre>
  )
}

const CLASSES = ['code-comment', 'code-string', 'code-keyword', 'code-number'] as const

function coloured(text: string, tokens: RegExp): ReactNode[] {
  const pieces: ReactNode[] = []
  let at = 0
  for (const found of text.matchAll(tokens)) {
    const kind = found.slice(1).findIndex((group) => group !== undefined && group !== '')
    pieces.push(<SafeText key={`t${at}`} text={text.slice(at, found.index)} code />)
    pieces.push(
      <span key={`k${found.index}`} className={CLASSES[kind]}>
        <SafeText text={found[0]} code />
      </span>,
    )
    at = found.index + found[0].length
  }
  pieces.push(<SafeText key="end" text={text.slice(at)} code />)
  return pieces
}
