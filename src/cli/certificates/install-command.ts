/** Says how to install a package where the running command finds it: in its project, globally, or for npx. */

/** `root`: the folder of the package that runs, such as /srv/service/node_modules/bellwether/. */
export function installCommand(root: string, packages: readonly string[]): string {
  const names = packages.join(' ')
  if (/[\\/]_npx[\\/]/u.test(root)) {
    const all = ['bellwether', ...packages].map((name) => `--package ${name}`).join(' ')
    return `npx ${all} bellwether certs`
  }
  const [, project] = /^(.*)[\\/]node_modules[\\/]bellwether[\\/]$/u.exec(root) ?? []
  if (project === undefined) return `npm install ${names}`
  if (/[\\/](?:lib|npm)$/u.test(project)) return `npm install --global ${names}`
  return `npm install ${names} --prefix ${project}`
}
