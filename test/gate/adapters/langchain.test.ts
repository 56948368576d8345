import { describeAdapter } from './describe-adapter.ts'
import { langchainHarness } from './langchain-host.ts'

describeAdapter('holdpointMiddleware, one interrupt for all calls of a message', langchainHarness('batch'))
describeAdapter('holdpointMiddleware, one interrupt for each call', langchainHarness('independent'))
