/** Tests that packages are installed where the command that needs them looks. */
import { expect, test } from 'vitest'
import { installCommand } from './install-command.ts'

test.each([
  ['/srv/api/node_modules/bellwether/', 'npm install x y --prefix /srv/api'],
  ['/usr/local/lib/node_modules/bellwether/', 'npm install --global x y'],
  [
    '/srv/.npm/_npx/1a2b/node_modules/bellwether/',
    'npx --package bellwether --package x --package y bellwether certs',
  ],
  ['/src/bellwether/', 'npm install x y'],
])('for the command in %s: %s', (root, command) => {
  expect(installCommand(root, ['x', 'y'])).toBe(command)
})
