import { describeAdapter } from './describe-adapter.ts'
import { openaiHarness } from './openai-host.ts'

describeAdapter('openaiGate, which keeps and resumes the state', openaiHarness('kept'))
describeAdapter('openaiGate, under an application that restores its state itself', openaiHarness('restored'))
