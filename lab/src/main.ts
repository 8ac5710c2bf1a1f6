/** The entry point of the lab: mounts the app, and offers the simulation worker to the console as `bellwether`. */
import { mount } from 'svelte'
import App from './app.svelte'
import { simulation } from './simulation/simulation-client.ts'
import './style/tokens.css'

// For the console and the benchmarks: bellwether.ask('run', [['algorithm', 'bully']]).
Object.assign(globalThis, { bellwether: simulation() })

mount(App, { target: document.getElementById('app')! })
