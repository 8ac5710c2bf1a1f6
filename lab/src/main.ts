/** The entry point of the lab: mounts the app, and offers the simulation worker and the checker to the console as `bellwether`. */
import { mount } from 'svelte'
import App from './app.svelte'
import { language } from './language/language.svelte.ts'
import { parseRoute } from './run/run-link.ts'
import { simulation } from './simulation/simulation-client.ts'
import type { Settings } from './simulation/worker-protocol.ts'
import './style/tokens.css'

// For the console, tests and benchmarks: bellwether.ask('run', …), bellwether.check([['algorithm', 'bully']]).
const simulated = simulation()
Object.assign(globalThis, {
  bellwether: {
    ask: simulated.ask.bind(simulated),
    check: async (settings: Settings) =>
      (await import('./checker/checker-client.ts')).checker().ask('check', settings),
  },
})

await language.start(parseRoute(location.hash).query)
mount(App, { target: document.getElementById('app')! })
