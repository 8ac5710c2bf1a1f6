/** `bellwether completion`: prints a script that lets a shell complete verbs, flags and the words that flags accept. */
import { Argument, Command } from 'commander'
import { print } from '../terminal/print.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export function completionCommand(): Command {
  return new Command('completion')
    .description('Print a script that lets a shell complete verbs, flags and their words.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nbash, in ~/.bashrc:                   eval "$(bellwether completion bash)"\n' +
        'zsh, in ~/.zshrc, after compinit:     eval "$(bellwether completion zsh)"\n' +
        'fish:  bellwether completion fish > ~/.config/fish/completions/bellwether.fish',
    )
    .action(async (shell: Shell) => {
      const { VERBS } = await import('../verbs.ts') // which loads this file
      const commands = await Promise.all(Object.values(VERBS).map(async (load) => load()))
      print({ bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands))
    })
}

function flagsOf(command: Command): string[] {
  const shown = command.options.filter(({ hidden }) => !hidden)
  return [...shown.flatMap(({ long }) => long ?? []), '--help']
}

/** What may follow a verb: the names of its own verbs, and its flags. */
function wordsAfter(command: Command): string {
  return [...command.commands.map((child) => child.name()), ...flagsOf(command)].join(' ')
}

/** The flags that accept certain words only. */
function choicesOf(commands: readonly Command[]): ReadonlyMap<string, string> {
  return new Map(
    commands.flatMap(({ options }) =>
      options.flatMap(({ long, argChoices }) =>
        typeof long !== 'string' || argChoices === undefined
          ? []
          : [[long, argChoices.join(' ')] as const],
      ),
    ),
  )
}

/** Paths are completed where nothing else is known. */
function bashScript(commands: readonly Command[]): string {
  const verbs = commands.map((command) => command.name()).join(' ')
  const choices = [...choicesOf(commands)].map(
    ([flag, words]) => `    ${flag}) words="${words}" ;;`,
  )
  const cases = commands.map(
    (command) => `      ${command.name()}) words="${wordsAfter(command)}" ;;`,
  )
  return `_bellwether() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${choices.join('\n')}
  esac
  if [ -z "$words" ]; then
    case "$COMP_CWORD:\${COMP_WORDS[1]}" in
      1:*) words="${verbs} --help --version" ;;
${cases.map((line) => line.replace(/^ {6}/u, '      *:')).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _bellwether bellwether`
}

/** zsh runs the functions of bash. */
function zshScript(commands: readonly Command[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`
}

function fishScript(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replaceAll(/['\\]/gu, String.raw`\$&`)}'`
  const lines = commands.flatMap((command) => {
    const name = command.name()
    const summary = command.summary() === '' ? command.description() : command.summary()
    const within = `-n '__fish_seen_subcommand_from ${name}'`
    const flags = command.options
      .filter(({ long, hidden }) => typeof long === 'string' && !hidden)
      .map(({ long, description, argChoices, required }) => {
        const words = argChoices === undefined ? '' : ` -xa ${quoted(argChoices.join(' '))}`
        const value = required && argChoices === undefined ? ' -r' : ''
        return `complete -c bellwether ${within} -l ${long!.slice(2)}${value}${words} -d ${quoted(description)}`
      })
    const verb = `complete -c bellwether -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`
    return [verb, ...flags]
  })
  return lines.join('\n')
}
