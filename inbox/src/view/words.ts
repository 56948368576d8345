import type { Dictionary } from '../i18n/language.ts'

const en = {
  loading: 'Loading',
  retry: 'Try again',
  unreachable: 'The server did not answer. What is shown may be out of date.',
  absent: 'It does not exist, or you may not see it.',
  notAllowed: 'You may not do this.',
  refused: (detail: string) => `The server refused: ${detail}`,
  failed: 'It did not load.',
  asTable: 'As a table',
  more: 'Show earlier',
  loadingMore: 'Loading',
  fresh: (count: number) => `${count} new`,
}

const zh: typeof en = {
  loading: '加载中',
  retry: '重试',
  unreachable: '服务器没有响应。显示的内容可能已过时。',
  absent: '不存在，或你无权查看。',
  notAllowed: '你无权执行此操作。',
  refused: (detail) => `服务器拒绝：${detail}`,
  failed: '未能加载。',
  asTable: '以表格显示',
  more: '更早的记录',
  loadingMore: '正在加载',
  fresh: (count) => `${count} 条新记录`,
}

/** Words that several views share. */
export const words: Dictionary<typeof en> = { en, zh }
