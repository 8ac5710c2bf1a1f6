/** The editor of programs: CodeMirror with TypeScript, the help of the contract, problems at their lines, and the lines that the shown step ran. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { EditorState, Transaction, type StateEffect } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { contractHelp } from './contract-help.ts'
import { executedLines, showLines } from './executed-lines.ts'

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.className], color: 'var(--suspected-text)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--panel)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '&.cm-focused .cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'var(--accent-soft)' },
  '.executed': { backgroundColor: 'var(--band)', boxShadow: 'inset 3px 0 0 var(--candidate)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    maxWidth: 'min(60ch, 90vw)',
  },
  '.cm-tooltip .help': { padding: '4px 8px', whiteSpace: 'normal' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
})

/** A sentence about a line; null: about the whole program. */
export interface Remark {
  readonly line: number | null
  readonly sentence: string
}

export class CodeEditor {
  private readonly view: EditorView

  constructor(parent: HTMLElement, text: string, label: string, onchange: (text: string) => void) {
    const told = EditorView.updateListener.of((update) => {
      const typed = update.transactions.some((one) => one.annotation(Transaction.userEvent))
      if (update.docChanged && typed) onchange(update.state.doc.toString())
    })
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          highlightActiveLineGutter(),
          lintGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          javascript({ typescript: true }),
          syntaxHighlighting(colours),
          contractHelp,
          executedLines,
          look,
          // Tab leaves the editor, as in every other field.
          keymap.of([
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...completionKeymap,
            ...lintKeymap,
          ]),
          EditorView.contentAttributes.of({
            'aria-label': label,
            spellcheck: 'false',
            tabindex: '0',
          }),
          told,
        ],
      }),
    })
  }

  get text(): string {
    return this.view.state.doc.toString()
  }

  /** Another program, for which nothing of the earlier one is undone. */
  set text(text: string) {
    if (text === this.text) return
    const { length } = this.view.state.doc
    this.view.dispatch({
      changes: { from: 0, to: length, insert: text },
      selection: { anchor: 0 },
      scrollIntoView: true,
    })
  }

  remark(remarks: readonly Remark[]): void {
    const { state } = this.view
    const diagnostics = remarks.flatMap(({ line, sentence }) => {
      if (line === null || line > state.doc.lines) return []
      const { from, to } = state.doc.line(line)
      return [{ from, to, severity: 'error' as const, message: sentence }]
    })
    this.view.dispatch(setDiagnostics(state, diagnostics))
  }

  /** Marks the lines that a step ran; `follow` brings the first of them into view. */
  mark(lines: readonly number[], follow: boolean): void {
    const effects: StateEffect<unknown>[] = [showLines.of(lines)]
    const { doc } = this.view.state
    const [first] = lines
    if (follow && first !== undefined && first <= doc.lines && !this.view.hasFocus) {
      effects.push(EditorView.scrollIntoView(doc.line(first).from, { y: 'nearest', yMargin: 60 }))
    }
    this.view.dispatch({ effects })
  }

  /** Shows a line, with the cursor on it. */
  goTo(line: number): void {
    const { doc } = this.view.state
    const { from } = doc.line(Math.min(line, doc.lines))
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
  }

  close(): void {
    this.view.destroy()
  }
}
