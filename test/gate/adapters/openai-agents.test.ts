import { adapterConformance } from '../../../src/testing.ts'
import { soak } from '../../support/soak.ts'
import { describeAdapter } from './describe-adapter.ts'
import { durablePlaces } from './durable.ts'
import { openaiHarness } from './openai-host.ts'

describeAdapter('openaiGate, which keeps and resumes the state', openaiHarness('kept'))
describeAdapter('openaiGate, under an application that restores its state itself', openaiHarness('restored'))

for (const [part, [name, openStore]] of durablePlaces().entries()) {
  const harness = { ...openaiHarness('kept'), openStore }
  describeAdapter(`openaiGate on ${name}`, harness, soak.sample(adapterConformance, { part, of: 4 }))
}
