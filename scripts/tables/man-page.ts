/** The page of the manual, in the language of troff, from the verbs and flags of the command. */
import type { Command } from 'commander'
import { EXIT_MEANINGS } from '../../src/cli/errors.ts'
import { VERBS } from '../../src/cli/verbs.ts'

/** Text as troff prints it: hyphens that can be copied, and no line that begins a request. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^(?=[.'])/gmu, String.raw`\&`)
}

function flagsOf(command: Command): string[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ flags, description }) => ['.TP', `.B ${escaped(flags)}`, escaped(description)])
}

function sectionOf(command: Command, parent = 'bellwether'): string[] {
  const name = `${parent} ${command.name()}`
  return [
    `.SS ${escaped(`${name} ${command.usage()}`)}`,
    escaped(command.description() === '' ? command.summary() : command.description()),
    ...flagsOf(command),
    ...command.commands.flatMap((child) => sectionOf(child, name)),
  ]
}

export async function manPage(): Promise<string> {
  const commands = await Promise.all(Object.values(VERBS).map(async (load) => load()))
  const lines = [
    String.raw`.\" Written by npm run man.`,
    '.TH BELLWETHER 1',
    '.SH NAME',
    String.raw`bellwether \- leader election: run, operate, simulate and check it`,
    '.SH SYNOPSIS',
    '.B bellwether',
    '.I verb',
    '[flags]',
    '.SH VERBS',
    ...commands.flatMap((command) => sectionOf(command)),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) => ['.TP', `.B ${code}`, meaning]),
  ]
  return `${lines.join('\n')}\n`
}
