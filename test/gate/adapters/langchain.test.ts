import { adapterConformance } from '../../../src/testing.ts'
import { soak } from '../../support/soak.ts'
import { describeAdapter } from './describe-adapter.ts'
import { durablePlaces } from './durable.ts'
import { langchainHarness } from './langchain-host.ts'

describeAdapter('holdpointMiddleware, one interrupt for all calls of a message', langchainHarness('batch'))
describeAdapter('holdpointMiddleware, one interrupt for each call', langchainHarness('independent'))

for (const [part, [name, openStore]] of durablePlaces().entries()) {
  const harness = { ...langchainHarness('batch'), openStore }
  describeAdapter(`holdpointMiddleware on ${name}`, harness, soak.sample(adapterConformance, { part, of: 4 }))
}
