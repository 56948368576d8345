import type { BrowserContext, Locator, Page } from 'playwright-core'

/** How long the page leaves verdicts at rest, and a little more. */
const REST_MS = 400

/** One person's window. It keeps what the page asked for and complained about. */
export class Seat {
  readonly context: BrowserContext
  readonly page: Page
  /** Addresses of all requests that the page made. */
  readonly requested: string[] = []
  /** Methods and paths of all writes that the page made. */
  readonly writes: string[] = []
  /** Errors on the console, uncaught errors, and violations of the content security policy. */
  readonly complaints: string[] = []
  /** How often the browser asked whether the page may be left. It was. */
  warnings = 0

  static async in(context: BrowserContext, url: string): Promise<Seat> {
    const page = await context.newPage()
    return new Seat(context, page, url)
  }

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.context = context
    this.page = page
    page.on('request', (request) => {
      this.requested.push(request.url())
      if (request.method() !== 'GET') this.writes.push(`${request.method()} ${request.url().replace(url, '')}`)
    })
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text())
    })
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    page.on('dialog', (dialog) => {
      if (dialog.type() === 'beforeunload') {
        this.warnings++
        void dialog.accept()
        return
      }
      this.complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
  }

  /** The heading of the request that is being read. */
  get headline(): Locator {
    return this.page.locator('#request').getByRole('heading', { level: 1 })
  }

  /** The bar that decides. */
  get verdict(): Locator {
    return this.page.getByRole('region', { name: 'Verdict' })
  }

  /** The button that approves. */
  get approve(): Locator {
    return this.verdict.getByRole('button', { name: /^Approve: / })
  }

  /** The rows of the queue. */
  get rows(): Locator {
    return this.page.getByRole('region', { name: 'Waiting requests' }).getByRole('link')
  }

  /** Opens the request whose headline has this in it. */
  async open(text: string): Promise<void> {
    await this.rows.filter({ hasText: text }).first().click()
    await this.reads(text)
  }

  /** Selects the request whose headline has this in it. */
  async pick(text: string): Promise<void> {
    const row = this.page.locator('.row').filter({ hasText: text })
    await row.getByRole('checkbox', { name: /^Select: / }).check({ force: true })
  }

  /** Waits until a request is being read and can be decided. */
  async reads(text: string): Promise<void> {
    await this.headline.filter({ hasText: text }).waitFor()
    await this.rested()
  }

  /** Waits until all of the request is loaded, and verdicts no longer rest. The headline is shown before, from the queue. */
  async rested(): Promise<void> {
    await this.page.waitForFunction(
      () => document.querySelector('#request [aria-busy="true"], [data-resting]') === null,
    )
  }

  /** Sleeps for as long as verdicts rest: what should not happen had its time to. */
  async quiet(ms = REST_MS): Promise<void> {
    await this.page.waitForTimeout(ms)
  }

  /** Presses the Enter key, or a button, for longer than a hold takes. */
  async hold(button: Locator, ms: number): Promise<void> {
    await button.hover()
    await this.page.mouse.down()
    await this.page.waitForTimeout(ms)
    await this.page.mouse.up()
  }
}
