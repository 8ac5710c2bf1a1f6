// Starts an exported lab. From a web server it loads modules as usual. A page that was opened as a file may not load
// modules from files: it gets their texts from files.js, and makes each one an address of its own.
{
  const entry = document.currentScript.dataset.entry
  const append = (tag, attributes) =>
    document.head.append(Object.assign(document.createElement(tag), attributes))

  const start = () => {
    const { modules, styles } = globalThis.bellwetherFiles
    for (const href of styles) append('link', { rel: 'stylesheet', href: `./assets/${href}` })
    const addresses = new Map()
    const addressOf = (name) => {
      if (!addresses.has(name)) {
        const blob = new Blob([rewritten(modules[name])], { type: 'text/javascript' })
        addresses.set(name, URL.createObjectURL(blob))
      }
      return addresses.get(name)
    }
    const rewritten = (text) =>
      text
        .replaceAll(
          /\b(from|import)\s*["']\.\/([\w.-]+\.js)["']/gu,
          (_, word, name) => `${word}"${addressOf(name)}"`,
        )
        .replaceAll(
          /\bimport\(\s*["'`]\.\/([\w.-]+\.js)["'`]\s*\)/gu,
          'import(bellwetherModules.addressOf("$1"))',
        )
        .replaceAll(
          /new URL\(["'`]([\w.-]+\.js)["'`],\s*import\.meta\.url\)\.href/gu,
          'bellwetherModules.addressOf("$1")',
        )
        .replaceAll('import.meta', 'bellwetherModules.meta')
        // A hint that a browser does not follow: there is nothing to fetch ahead.
        .replaceAll('modulepreload', 'alternate')
    // Here a worker cannot be a module; none of these needs to be one.
    globalThis.Worker = new Proxy(globalThis.Worker, {
      construct: (ScriptWorker, [address]) => new ScriptWorker(address),
    })
    const url = new URL(`./assets/${entry}`, document.baseURI).href
    globalThis.bellwetherModules = { addressOf, meta: { url } }
    append('script', { type: 'module', src: addressOf(entry) })
  }

  if (location.protocol === 'file:') append('script', { src: './files.js', onload: start })
  else append('script', { type: 'module', src: `./assets/${entry}` })
}
