import { memoryStreamsHarness } from '../../src/testing/streams-suite/memory-harness.ts'
import { describeStreams } from './conformance.ts'

describeStreams('the memory streams', memoryStreamsHarness())
