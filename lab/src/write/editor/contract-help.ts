/** Completion and tooltips of the editor: what the contract and the program itself declare. */
import {
  autocompletion,
  completeAnyWord,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { fieldsIn, MEMBERS, NAMES, type Entry } from './contract-entries.ts'

/** What may follow these words and a dot; undefined: nothing is known. */
function membersAfter(owner: string, program: string): readonly Entry[] | undefined {
  if (owner === 's') return fieldsIn(program)
  const last = owner.split('.').at(-1)!
  if (last in MEMBERS) return MEMBERS[last]
  const field = /^s\.(\w+)$/u.exec(owner)?.[1]
  const kind = fieldsIn(program).find(({ name }) => name === field)?.signature
  return kind?.includes('nodeSet') === true ? MEMBERS['set'] : undefined
}

function completionOf({ name, signature, doc }: Entry): Completion {
  const isCall = /^\w+\??[(<]/u.test(signature)
  return {
    label: name,
    detail: signature.slice(name.length),
    type: isCall ? 'function' : 'property',
    ...(doc !== '' && { info: doc }),
  }
}

function complete(context: CompletionContext): CompletionResult | null {
  const before = context.matchBefore(/[\w.]*/u)
  if (before === null || (before.text === '' && !context.explicit)) return null
  const dot = before.text.lastIndexOf('.')
  const program = context.state.doc.toString()
  if (dot < 0) return { from: before.from, options: NAMES.map(completionOf), validFor: /^\w*$/u }
  const members = membersAfter(before.text.slice(0, dot), program)
  if (members === undefined) return null
  return { from: before.from + dot + 1, options: members.map(completionOf), validFor: /^\w*$/u }
}

function entryFor(path: string, program: string): Entry | undefined {
  const dot = path.lastIndexOf('.')
  const name = path.slice(dot + 1)
  const among = dot < 0 ? NAMES : (membersAfter(path.slice(0, dot), program) ?? [])
  return among.find((entry) => entry.name === name)
}

const tooltip = hoverTooltip((view, position) => {
  const line = view.state.doc.lineAt(position)
  const at = position - line.from
  const [before] = /[\w.]*$/u.exec(line.text.slice(0, at)) ?? ['']
  const [after] = /^\w*/u.exec(line.text.slice(at)) ?? ['']
  const entry = entryFor(before + after, view.state.doc.toString())
  if (entry === undefined) return null
  return {
    pos: position - before.length,
    end: position + after.length,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'help'
      const code = document.createElement('code')
      code.textContent = entry.signature
      dom.append(code, document.createElement('br'), entry.doc)
      return { dom }
    },
  }
})

export const contractHelp: Extension = [
  autocompletion({ override: [complete, completeAnyWord] }),
  tooltip,
]
