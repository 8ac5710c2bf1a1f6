/** The public entry `bellwether/testing`: exports the test kit for users, real members with faults between them. */
export { fakeTerm, type FakeTerm, type FakeTermOptions } from './fake-term.ts'
export { FaultMesh } from './fault-mesh.ts'
export { FaultProxy, type Direction, type FaultProxyOptions } from './fault-proxy.ts'
export { NO_FAULTS, type Faults } from './frame-faults.ts'
export {
  loseLeadershipAtEveryAwait,
  StillRunningError,
  type LossOptions,
} from './lose-leadership.ts'
export { Namespaces } from './namespaces.ts'
export { MemoryStore } from '../stores/memory.ts'
export { MemoryHub, type HubOptions } from '../transports/memory.ts'
export { Processes, type Launch } from './processes.ts'
export { until } from './wait.ts'
