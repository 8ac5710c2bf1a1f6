import { mount } from 'svelte'
import App from './app.svelte'
import { engine } from './engine/engine.ts'
import './style/tokens.css'

// For the console and the benchmarks: bellwether.ask('run', [['algorithm', 'bully']]).
Object.assign(globalThis, { bellwether: engine() })

mount(App, { target: document.getElementById('app')! })
