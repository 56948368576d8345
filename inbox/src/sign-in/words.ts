import type { Dictionary } from '../i18n/language.ts'

const en = {
  title: 'Sign in to decide',
  text: 'Every decision carries your name. You stay signed in for 8 hours on this device.',
  ended: 'You were signed out. What had not been sent was not decided.',
  working: 'Signing in with the link',
  workingText: 'The code of the link is sent once. It is no longer in the address.',
  token: 'Access token',
  tokenHint: 'From whoever runs this server. It is sent once and not kept on this device.',
  go: 'Sign in',
  sending: 'Signing in',
  missing: 'Paste the token first.',
  codeSpent: 'This link was used or has expired. A link works once, for ten minutes.',
  codeAgain: 'Print another one where the server runs:',
  refused: 'This token is not accepted. Check that all of it was pasted, and that it has not expired.',
  unreachable: 'The server did not answer. Nothing was stored; try again.',
  limited: 'Too many tries. Wait a minute, then try again.',
  failed: (detail: string) => `Signing in failed: ${detail}`,
  again: 'Try again',
  safe: 'holdpoint never asks for a password by e-mail, and links in messages never decide anything.',
}

const zh: typeof en = {
  title: '登录以作出决定',
  text: '每个决定都会记录你的姓名。本设备保持登录 8 小时。',
  ended: '你已退出登录。尚未发送的内容没有作出决定。',
  working: '正在用链接登录',
  workingText: '链接中的代码只发送一次，且已从地址中移除。',
  token: '访问令牌',
  tokenHint: '由服务器的运行者提供。只发送一次，不保存在本设备。',
  go: '登录',
  sending: '正在登录',
  missing: '请先粘贴令牌。',
  codeSpent: '此链接已使用或已过期。链接只能使用一次，有效十分钟。',
  codeAgain: '在运行服务器的地方再打印一个：',
  refused: '令牌未被接受。请检查是否完整粘贴，以及是否已过期。',
  unreachable: '服务器没有响应。没有保存任何内容，请重试。',
  limited: '尝试次数过多。请等一分钟再试。',
  failed: (detail) => `登录失败：${detail}`,
  again: '重试',
  safe: 'holdpoint 绝不会通过邮件索要密码；消息中的链接不会作出任何决定。',
}

export const words: Dictionary<typeof en> = { en, zh }
