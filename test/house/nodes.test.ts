import { expect, test } from 'vitest'
import { fetchedNode, nodeOf } from '../../scripts/lib/nodes.js'

test('a release of Node that was not fetched is a clear message, and nothing is fetched inside a test', () => {
  expect(() => fetchedNode('1')).toThrow(/needs Node 1, which `npm test` fetches/)
})

test('the release that runs is not fetched', async () => {
  const [major = ''] = process.versions.node.split('.')
  expect(fetchedNode(major)).toBe(process.execPath)
  await expect(nodeOf(major)).resolves.toBe(process.execPath)
})
