import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * What axe finds on a page that has no frames, a line for each rule. Without frames axe can run inside of the page alone, which spares it a window of
 * its own for every look.
 */
export async function axeFindings(page: Page, tags?: readonly string[]): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], ...(tags && { runOnly: { type: 'tag', values: [...tags] } }) })
    .analyze()
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.target} ${nodes[0]?.failureSummary}`)
}
